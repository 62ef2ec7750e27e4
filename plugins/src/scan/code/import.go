package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// minImports is from where on a part of imports is called by their number: it
// takes less than the first of them, and nobody looks for one of many there.
const minImports = 3

// imports is how many a statement holds, 0 if it is no import. Its code begins on
// line from.
func (w *writer) imports(from, to int, h *header) int32 {
	l := &w.lines[from]
	switch string(w.first(l)) {
	case "import", "from", "use", "using", "#include", "#import", "@import", "require", "require_relative", "alias", "library", "open", "extern":
		if l.last == '(' { // a block of them
			return int32(max(1, w.inBlock(from+1, to)))
		}
		return 1
	}
	if h.kind == value && w.v.assign && bytes.Contains(w.b[l.code:lines.End(w.b, int(l.code))], []byte("= require(")) {
		return 1
	}
	return 0
}

// clauses reports whether a statement says what is imported to.
func (w *writer) clauses(from int, h *header) bool {
	if h.kind != other {
		return false
	}
	word := string(w.first(&w.lines[from]))
	return word == "package" || word == "module"
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
