// Command controllers is the module of the built-in controllers: one file of
// WebAssembly with a role for each folder beside this one. It stands apart from
// that of the stages, since each guest pays for the code of its whole module.
package main

import (
	"runtime"

	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/dispatch"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/explore"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/gate"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/narrow"
)

func main() {}

// headroom is memory that a hook finds free. A guest whose memory has grown is not
// used again, and to make another one takes a processor for a millisecond; so what
// begin_session needs is there from the start.
const headroom = 640 << 10

var room []byte //nolint:unused // it is written, so that there is an allocation: a local variable would be left out

func init() {
	room = make([]byte, headroom)
	room = nil
	runtime.GC()
}
