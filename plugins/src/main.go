// Command src is the module of the built-in stages: one file of WebAssembly with
// a role for each folder beside this one, controllers excepted. See ../embed.go for how it is
// built.
package main

import (
	_ "github.com/mcpctl/mcpctl/plugins/src/compress"
	_ "github.com/mcpctl/mcpctl/plugins/src/enhance"
	_ "github.com/mcpctl/mcpctl/plugins/src/index"
	_ "github.com/mcpctl/mcpctl/plugins/src/paginate"
	_ "github.com/mcpctl/mcpctl/plugins/src/passthrough"
	_ "github.com/mcpctl/mcpctl/plugins/src/section-split"
	_ "github.com/mcpctl/mcpctl/plugins/src/summarize"
	_ "github.com/mcpctl/mcpctl/plugins/src/summarize-tree"
)

func main() {}

// largest is the size in bytes of the largest objects of which the heap is ready.
const largest = 1 << 10

// object keeps the compiler from leaving the objects on the stack.
var object any //nolint:unused // it is written, so that there is an allocation

// Go's heap keeps pages for each size of objects, and grows for the first of each.
// A guest is made of an image of one that has started, so what is got ready here is
// paid for once: contents of 5 to 32 KB took 0.5 to 0.98 of the time when they
// found it, 0.78 in the mean, and a guest whose memory has not grown is used again.
func init() {
	for size := 8; size <= largest; size += max(8, size/8) { // leaves none of Go's sizes out
		object = make([]byte, size)
		object = make([]*byte, size/8) // what holds pointers has pages of its own
	}
	object = nil
}
