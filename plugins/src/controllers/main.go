// Command controllers is the module of the built-in controllers. It has a role for
// each directory beside it, and is separate from the module of the stages because
// each guest pays for the code of its whole module.
package main

import (
	"runtime"

	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/dispatch"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/explore"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/gate"
	_ "github.com/mcpctl/mcpctl/plugins/src/controllers/narrow"
)

func main() {}

// headroom is the free memory of a new guest, in bytes. A guest whose memory has
// grown is not reused, and creating another one takes a millisecond of CPU time, so
// the memory that begin_session needs is allocated in advance.
const headroom = 640 << 10

var room []byte //nolint:unused // assigned, so that the allocation is not optimized away like that of a local variable

func init() {
	room = make([]byte, headroom)
	room = nil
	runtime.GC()
}
