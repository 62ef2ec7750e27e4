package codescan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// minImports is from where on a part of imports is called by their number: it
// takes less than the first of them, and nobody looks for one of many there.
const minImports = 3

// short is what a statement that may share a part says. Its code begins on line
// from.
func (w *writer) short(from, to int, h header) short {
	s := short{header: h}
	l := &w.lines[from]
	switch word := w.first(l); string(word) {
	case "package", "module":
		s.clause = h.kind == other
	case "import", "from", "use", "using", "#include", "#import", "@import", "require", "require_relative", "alias", "library", "open", "extern":
		if s.imports = 1; l.last == '(' { // a block of them
			s.imports = int32(max(1, w.inBlock(from+1, to)))
		}
	default:
		text := w.b[l.code:lines.End(w.b, int(l.code))]
		if h.kind == value && bytes.Contains(text, []byte("= require(")) {
			s.imports = 1
		}
	}
	s.filler = l.flags&directive != 0 && h.kind == other && s.imports == 0
	return s
}

// inBlock is the number of lines of code in lines[from:to] that close nothing.
func (w *writer) inBlock(from, to int) (n int) {
	for _, l := range w.lines[from:to] {
		if l.flags&(comment|closes) == 0 {
			n++
		}
	}
	return n
}
