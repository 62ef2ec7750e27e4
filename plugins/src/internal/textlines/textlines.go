// Package textlines counts lines of a content of any size, a part at a time.
package textlines

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// part is how much is read at a time, in bytes.
const part = 64 << 10

// Count counts lines; a last one without a line end is one.
func Count(b stage.Buf) int {
	n, size := 0, b.Len()
	each(b, func(off int, text []byte) bool {
		n += lines.Count(text)
		if off+len(text) == size && text[len(text)-1] != '\n' {
			n++
		}
		return true
	})
	return n
}

// Start is where a line begins, the first of which is 1. ok is false if there are fewer.
func Start(b stage.Buf, line int) (off int, ok bool) {
	if line == 1 {
		return 0, true // of an empty text as well
	}
	ends := line - 1 // that are before it
	each(b, func(at int, text []byte) bool {
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

func each(b stage.Buf, visit func(off int, text []byte) bool) {
	room := make([]byte, part)
	for off := 0; off < b.Len(); {
		n, _ := b.ReadAt(room, int64(off))
		if n == 0 || !visit(off, room[:n]) {
			return
		}
		off += n
	}
}
