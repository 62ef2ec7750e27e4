// Package textlines counts the lines of a content of any size. It reads a block at a time.
package textlines

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// blockSize is the number of bytes that are read at a time.
const blockSize = 64 << 10

// Count returns the number of lines. The last one need not have a line end.
func Count(b stage.Buf) int {
	n, size := 0, b.Len()
	readBlocks(b, func(off int, text []byte) bool {
		n += lines.Count(text)
		if off+len(text) == size && text[len(text)-1] != '\n' {
			n++
		}
		return true
	})
	return n
}

// Start returns the offset of a line. The first line is 1. ok is false if there are fewer
// lines.
func Start(b stage.Buf, line int) (off int, ok bool) {
	if line == 1 {
		return 0, true // even of an empty text
	}
	ends := line - 1 // line ends before it
	readBlocks(b, func(at int, text []byte) bool {
		if n := lines.Count(text); n < ends {
			ends -= n
			return true
		}
		p := 0
		for ; ends > 0; ends-- {
			p = lines.End(text, p)
		}
		off, ok = at+p, true
		return false
	})
	return off, ok && off < b.Len()
}

// readBlocks calls visit for each block until it returns false.
func readBlocks(b stage.Buf, visit func(off int, text []byte) bool) {
	block := make([]byte, blockSize)
	for off := 0; off < b.Len(); {
		n, _ := b.ReadAt(block, int64(off))
		if n == 0 || !visit(off, block[:n]) {
			return
		}
		off += n
	}
}
