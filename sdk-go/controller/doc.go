// Package controller is for writing mcpctl controllers in Go: code that controls a
// client's session. A controller adds to the instructions, edits the list of tools,
// provides virtual tools, answers or rewrites calls, and replaces results or adds text
// to them.
//
// A controller consists of hooks, registered under the name of its role:
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
// It needs a manifest, a plugin.yaml with kind: controller, because modules of this SDK
// export the entry of stages as well. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-w -o brake.wasm .
//	mcpctl stage pack . --module brake.wasm
//
// and test it with go test and package controllertest, without WebAssembly.
//
// The API that a controller shares with stages (buffers, JSON, config, log, LLM, errors)
// is in package stage: a [Ctx] includes [stage.Base].
//
// # Outcome
//
// A hook that returns nil has answered (DONE). With Pass the host continues. After any
// other error (FAIL) all changes of the hook are dropped, the host continues as after
// Pass, and the event has the error's text.
//
// A misuse or a panic is an error too, as in package stage.
//
// # State and concurrency
//
// Hooks of one controller in one session run one at a time, in the order of the
// requests. While a hook waits for an LLM, other hooks may run and change the state
// that it reads afterwards. The memory of the guest does not survive a hook: keep
// values in State.
package controller
