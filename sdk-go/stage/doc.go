// Package stage is for writing mcpctl stages in Go. A stage receives one piece of
// content (a tool result, a prompt, a resource) on its way from an MCP server to
// a model and decides which text the model reads.
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
// and test it with go test and package stagetest, without WebAssembly.
//
// A stage uses only its [Ctx]. The host keeps the content, and a [Buf] is a handle
// to it: a span (offset and length in bytes) becomes output or a Section without
// being copied into the guest. Nothing survives the call: no Buf, no variable, no
// goroutine. There is no clock, no randomness, no file and no network.
//
// # Errors
//
// A stage returns nil if its output is the result, [Pass] if the content is to
// stay unchanged, and any other error if it failed; then the content passes
// unchanged, and the host shows the error's text. Methods with failures that a
// stage may want to handle return an error, usually an [*Error]. Methods that
// fail only after a misuse (an offset out of range, a config key of the wrong
// type) return a zero value instead, and the first misuse makes the call fail
// when the stage returns. A panic is a failure as well.
//
// Package stage is not safe for concurrent use: one call runs at a time, in one
// goroutine.
package stage
