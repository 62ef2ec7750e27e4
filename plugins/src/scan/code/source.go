package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/decl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// source is a text that was split into lines as code of a language.
type source struct {
	b     []byte
	v     *language.Vocabulary
	lines []lex.Line
	heads *decl.Parser
}

// read splits b into lines. It returns false if b cannot be source code.
func read(b []byte, v *language.Vocabulary) (*source, bool) {
	found, ok := lex.Lines(b, v)
	return &source{b, v, found, decl.New(b, v)}, ok
}

// firstWord returns the first word of a line's code, or its first byte.
func (s *source) firstWord(l *lex.Line) []byte { return s.v.WordAt(s.b, int(l.Code)) }

// noDepth is the depth of lines without statements.
const noDepth = 1<<15 - 1

// statementDepth returns the depth at which statements begin in lines[from:to]: the least
// above floor, of the lines that no bracket begins.
func (s *source) statementDepth(from, to int, floor int16) int16 {
	least := int16(noDepth)
	for i := from; i < to; i++ {
		if l := &s.lines[i]; l.Flags&(lex.Closes|lex.Comment|lex.Directive) == 0 && l.Depth > floor && l.Depth < least {
			least = l.Depth
		}
	}
	return least
}

// span returns the text of lines[from:to], without the blank lines after it.
func (s *source) span(from, to int) (start, end int32) {
	return s.lines[from].Start, s.endBefore(to)
}

// endBefore returns the end of the text before line i, without blank lines.
func (s *source) endBefore(i int) int32 {
	end := len(s.b)
	if i < len(s.lines) {
		end = int(s.lines[i].Start)
	}
	for end > 0 && lex.IsSpace(s.b[end-1]) {
		end--
	}
	if end < len(s.b) && s.b[end] == '\n' {
		return int32(end) + 1
	}
	return int32(lines.End(s.b, end))
}

// isAttribute reports whether a line belongs to the definition below it. An annotation does
// not if a definition follows it on its own line: @objc func f().
func (s *source) isAttribute(l *lex.Line) bool {
	for _, a := range s.v.Attributes {
		if bytes.HasPrefix(s.b[l.Code:], []byte(a)) {
			return a != "@" || s.heads.Read(int(l.Code), lines.End(s.b, int(l.Code))).Kind == language.Other
		}
	}
	return false
}
