package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/decl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// minImports is the number of imports from which on a part is titled by their number. That
// is shorter than the first of them, and one import of many is not searched for there.
const minImports = 3

// countImports returns the number of imports in a statement whose code is lines[from:to]; 0 if
// it is no import.
func (s *source) countImports(from, to int, h *decl.Head) int32 {
	l := &s.lines[from]
	switch string(s.firstWord(l)) {
	case "import", "from", "use", "using", "#include", "#import", "@import", "require", "require_relative", "alias", "library", "open", "extern":
		if l.Last == '(' { // a block of imports
			return int32(max(1, s.countCode(from+1, to)))
		}
		return 1
	}
	if h.Kind == language.Value && s.v.AssignedFunctions && bytes.Contains(s.b[l.Code:lines.End(s.b, int(l.Code))], []byte("= require(")) {
		return 1
	}
	return 0
}

// isPackageClause reports whether a statement names the package or module of the file.
func (s *source) isPackageClause(from int, h *decl.Head) bool {
	if h.Kind != language.Other {
		return false
	}
	word := string(s.firstWord(&s.lines[from]))
	return word == "package" || word == "module"
}

// countCode returns the number of lines of code in lines[from:to] that close nothing.
func (s *source) countCode(from, to int) (n int) {
	for _, l := range s.lines[from:to] {
		if l.Flags&(lex.Comment|lex.Closes) == 0 {
			n++
		}
	}
	return n
}
