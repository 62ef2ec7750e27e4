// Package controller is for writing mcpctl controllers in Go: code that steers a
// client's session. It adds to the instructions, edits the list of tools and has
// tools of its own, answers or reroutes calls, and replaces results or puts text
// beside them.
//
// A controller is a few hooks, registered under the name of its role:
//
//	package main
//
//	import "github.com/mcpctl/mcpctl/sdk-go/controller"
//
//	func init() { controller.Register("brake", controller.Hooks{ToolCall: brake}) }
//
//	// brake refuses the third call of one tool.
//	func brake(c *controller.Ctx) error {
//		key := "calls:" + c.Tool()
//		n, _ := c.State.Get(key)
//		if n == "xx" {
//			return c.Refuse("third call of " + c.Tool() + ": read what you have")
//		}
//		if err := c.State.Set(key, n+"x"); err != nil {
//			return err
//		}
//		return controller.Pass
//	}
//
//	func main() {}
//
// It needs a manifest, a plugin.yaml with kind: controller, since a module that
// this SDK makes has the entry of stages as well. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-w -o brake.wasm .
//	mcpctl stage pack . --module brake.wasm
//
// and test it with plain go test and package controllertest, without WebAssembly.
//
// What a controller shares with stages (the bytes that the host keeps, JSON, config,
// log, LLM, errors) is in package stage: a [Ctx] has all of [stage.Base].
//
// # Outcome
//
// A hook that returns nil has answered (DONE); Pass lets the host go on; any other
// error is FAIL: all that the hook wanted to change is dropped, the host goes on as
// if it had passed, and the event has the error's text.
//
// A misuse or a panic is an error too, as in package stage.
//
// # State and turns
//
// Hooks of one controller in one session run one at a time, in the order of the
// requests. A hook that waits for an LLM lets others run; what it reads afterwards
// may be new. No byte of the guest survives a hook: what must, belongs in State.
package controller
