// Command src is the module of the built-in stages. It has a role for each directory
// beside it except controllers. See ../embed.go for how it is built.
package main

import (
	_ "github.com/mcpctl/mcpctl/plugins/src/compress"
	_ "github.com/mcpctl/mcpctl/plugins/src/enhance"
	_ "github.com/mcpctl/mcpctl/plugins/src/focus"
	_ "github.com/mcpctl/mcpctl/plugins/src/index"
	_ "github.com/mcpctl/mcpctl/plugins/src/paginate"
	_ "github.com/mcpctl/mcpctl/plugins/src/passthrough"
	_ "github.com/mcpctl/mcpctl/plugins/src/section-split"
	_ "github.com/mcpctl/mcpctl/plugins/src/summarize"
	_ "github.com/mcpctl/mcpctl/plugins/src/summarize-tree"
)

func main() {}

// largest is the size in bytes of the largest objects that the heap is prepared for.
const largest = 1 << 10

// object forces the allocations onto the heap.
var object any //nolint:unused // assigned, so that the allocation is not optimized away

// init allocates one object of each size, because the heap of Go has pages for each
// size and grows for the first object of a size. A guest starts from an image of a
// started guest, so this cost is paid once. Contents of 5 to 32 KB took 0.5 to 0.98 of
// the time (mean 0.78), and a guest whose memory has not grown is reused.
func init() {
	for size := 8; size <= largest; size += max(8, size/8) { // visits all size classes of Go
		object = make([]byte, size)
		object = make([]*byte, size/8) // objects with pointers have pages of their own
	}
	object = nil
}
