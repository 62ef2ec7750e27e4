// Package stage is for writing mcpctl stages in Go: code that gets one piece of
// content (a tool result, a prompt, a resource) on its way from an MCP server to
// a model and decides what the model gets to read.
//
// A stage is a function, registered under the name of its role:
//
//	package main
//
//	import "github.com/mcpctl/mcpctl/sdk-go/stage"
//
//	func init() { stage.Register("lead", lead) }
//
//	func lead(c *stage.Ctx) error {
//		if at := c.Input.Find(c.String("rule", "\n---\n")); at >= 0 {
//			return c.Out.Span(c.Input, 0, at)
//		}
//		return stage.Pass
//	}
//
//	func main() {}
//
// Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-w -o lead.wasm .
//
// and test it with plain go test and package stagetest, without WebAssembly.
//
// Everything reaches the stage through its [Ctx]. The host keeps the content;
// a [Buf] names it, a span of it (offset and length in bytes) is written out or
// made a Section without being copied into the guest. Nothing outlives the call:
// no Buf, no variable, no goroutine. There is no clock, no randomness, no file
// and no network.
//
// # Errors
//
// A stage returns nil if what it wrote is the result, [Pass] if the content is
// to go on as it came, and any other error if it failed; the host then lets the
// previous content go on and shows the error's text. Methods that can meet
// something a stage may want to handle return an error, mostly an [*Error].
// Methods that can only be misused (an offset outside the buffer, a config key
// of another type) return a zero value instead, and the first such misuse makes
// the call fail when the stage returns. A panic is a failure as well.
//
// Package stage is not safe for concurrent use: one call runs at a time, in one
// goroutine.
package stage
