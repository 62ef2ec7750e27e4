package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/byteset"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/decl"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// statementEnd returns where the statement ends that begins on line i: a position in lines,
// at most end. A strict statement ends only where the language requires it.
func (s *source) statementEnd(i, end int, depth int16, strict bool) int {
	last := i                        // its last line of code
	angles := s.lines[i].Last == '<' // type parameters, one on each line
	byForm := s.v.Has(language.Equations | language.UntilNext)
	k := i + 1
	for ; k < end; k++ {
		l := &s.lines[k]
		if l.Depth > depth {
			if l.Flags&(lex.Comment|lex.Directive) == 0 {
				last = k
			}
			continue
		}
		if !s.continues(&s.lines[last], l, depth, strict) && !(angles && s.lines[last].Last == ',') && !(byForm && s.continuesForm(&s.lines[i], l)) {
			break
		}
		if l.Flags&(lex.Comment|lex.Directive) == 0 {
			last = k
		}
	}
	for k > i+1 && s.lines[k-1].Flags&lex.Comment != 0 && s.lines[k-1].Depth <= depth {
		k--
	}
	return k
}

// Bytes that show that a statement continues, where no byte ends statements.
var (
	continuing = byteset.Of(".?:&|>")   // a line begins with one of these
	unfinished = byteset.Of("=+&|?(<")  // the line before ends with one
	acrossGap  = byteset.Of(",=(&|+:<") // the line above a blank line ends with one
)

// continues reports whether l belongs to the statement whose last line so far is p.
func (s *source) continues(p, l *lex.Line, depth int16, strict bool) bool {
	if l.Flags&lex.Closes != 0 {
		return true
	}
	terminated := strict && (s.v.Semicolons || s.v.Has(language.SemicolonEnds))
	if l.Flags&(lex.Comment|lex.Directive) != 0 || p.Flags&lex.Directive != 0 {
		return terminated && l.Flags&lex.Gap == 0 && p.Flags&lex.Directive == 0 && !s.isTerminated(p)
	}
	if !strict && !s.v.Indented && !s.v.NestedFunctions {
		return s.opensBody(p, l)
	}
	if s.beginsContinuation(l) {
		return l.Flags&lex.Gap == 0 || s.endsBlock(l)
	}
	gap := l.Flags&lex.Gap != 0
	switch {
	case terminated:
		return (!gap || acrossGap.Has(p.Last) || s.v.FoldCase) && !s.isTerminated(p)
	case gap || s.v.Indented:
		return false
	}
	return s.opensBody(p, l) || continuing.Has(s.b[l.Code]) || unfinished.Has(p.Last) || p.Last == ',' && depth == 0 || s.endsWithArrow(p)
}

// endsWithArrow reports whether a line ends with =>. The body of the function is then on the next line.
func (s *source) endsWithArrow(l *lex.Line) bool {
	return l.Last == '>' && bytes.HasSuffix(bytes.TrimRight(s.b[l.Code:lines.End(s.b, int(l.Code))], " \t\r\n"), []byte("=>"))
}

// opensBody reports whether l begins with the brace of the statement that p belongs to.
func (s *source) opensBody(p, l *lex.Line) bool {
	return s.b[l.Code] == '{' && p.Last != ';' && p.Last != '}'
}

// beginsContinuation reports whether a line begins with a word or bracket that continues a
// statement.
func (s *source) beginsContinuation(l *lex.Line) bool {
	c := s.b[l.Code]
	return s.v.Look(s.firstWord(l)).Role == language.Continues || s.v.Indented && (c == ')' || c == ']' || c == '}')
}

// endsBlock reports whether a line begins with a word or bracket that continues a block also
// after a blank line.
func (s *source) endsBlock(l *lex.Line) bool {
	switch string(s.firstWord(l)) {
	case "}", ")", "end", "fi", "done", "esac", "END", "else", "elif", "except", "finally", "rescue", "ensure":
		return true
	}
	return false
}

// continuesForm reports whether a line belongs to the statement that begins on another one,
// by the form of definitions: it has the same name, or begins no definition.
func (s *source) continuesForm(first, l *lex.Line) bool {
	switch {
	case l.Flags&lex.Comment != 0:
		return false
	case s.v.Has(language.Equations):
		return s.v.Look(s.firstWord(first)).Role == language.Unknown && bytes.Equal(s.equationName(first), s.equationName(l))
	}
	return s.v.Look(s.firstWord(first)).Role == language.Defines && s.v.Look(s.firstWord(l)).Role != language.Defines
}

// equationName returns the name that a line defines if it is an equation.
func (s *source) equationName(l *lex.Line) []byte {
	if s.b[l.Code] == '(' {
		return s.b[l.Code:decl.SkipBrackets(s.b, int(l.Code), min(len(s.b), int(l.Code)+decl.MaxHead))]
	}
	return s.firstWord(l)
}

// isTerminated reports whether no statement continues after a line at its own depth.
func (s *source) isTerminated(p *lex.Line) bool {
	switch p.Last {
	case ';', '}':
		return true
	case ':':
		return s.isLabel(p)
	case ')':
		return s.isMacro(p)
	case ']':
		return bytes.HasPrefix(s.b[p.Code:], []byte("#!["))
	case 'p':
		return s.isCodeTag(p)
	}
	return p.Last >= 'A' && p.Last <= 'Z' && s.isMacro(p)
}

// isCodeTag reports whether a line is "<?php" alone, which ends like a statement.
func (s *source) isCodeTag(p *lex.Line) bool {
	rest, ok := bytes.CutPrefix(s.b[p.Code:], []byte("<?php"))
	if !ok {
		return false
	}
	rest = bytes.TrimLeft(rest[:lines.End(rest, 0)], " \t\r\n")
	return len(rest) == 0 || rest[0] == '/' || rest[0] == '#'
}

// isLabel reports whether a line is "public:" or "case 3:".
func (s *source) isLabel(p *lex.Line) bool {
	text := s.b[p.Code:]
	for i, c := range text {
		if c == ':' {
			return i+1 == len(text) || text[i+1] != ':'
		}
		if !s.v.Ident[c] && c != ' ' {
			return false
		}
	}
	return false
}

// isMacro reports whether a line is one word of capitals, with or without arguments.
func (s *source) isMacro(p *lex.Line) bool {
	if !s.v.Has(language.Directives) {
		return false
	}
	n := 0
	text := s.b[p.Code:]
	for n < len(text) && (text[n] >= 'A' && text[n] <= 'Z' || text[n] == '_' || text[n]-'0' <= 9) {
		n++
	}
	return n > 2 && (n == len(text) || text[n] == '(' || text[n] == '\n' || text[n] == '\r')
}
