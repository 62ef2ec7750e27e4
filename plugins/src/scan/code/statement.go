package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// first is the first word of a line's code, or its first byte where no word is.
func (w *writer) first(l *line) []byte { return wordAt(w.v, w.b, int(l.code)) }

// wordAt is the word at an offset, with the mark before it that makes it another
// one: #include, @media. Without a word it is the byte there.
func wordAt(v *vocabulary, b []byte, at int) []byte {
	return b[at:wordEnd(v, b, at, len(b))]
}

// wordEnd is the offset after the word at one, at most end.
func wordEnd(v *vocabulary, b []byte, at, end int) int {
	start := at
	if at < end && (b[at] == '#' || b[at] == '@') {
		at++
	}
	for at < end && (v.ident[b[at]] || b[at] == '-' && b[start] == '@') {
		at++
	}
	if at == start && at < end {
		at++
	}
	return at
}

// statement is where the statement ends that begins on line i: a position in
// lines, at most end. Strict ones may end only where the language says so.
func (w *writer) statement(i, end int, depth int16, strict bool) int {
	last := i                        // its last line of code
	angles := w.lines[i].last == '<' // parameters of a type, a line each
	shaped := w.v.syntax&(equations|untilNext) != 0
	k := i + 1
	for ; k < end; k++ {
		l := &w.lines[k]
		if l.depth > depth {
			if l.flags&(comment|directive) == 0 {
				last = k
			}
			continue
		}
		if !w.goesOn(&w.lines[last], l, depth, strict) && !(angles && w.lines[last].last == ',') && !(shaped && w.belongs(&w.lines[i], l)) {
			break
		}
		if l.flags&(comment|directive) == 0 {
			last = k
		}
	}
	for k > i+1 && w.lines[k-1].flags&comment != 0 && w.lines[k-1].depth <= depth {
		k--
	}
	return k
}

// Bytes by which a statement goes on where no rule says that it ends.
var (
	goingOn    = stopsAt(".?:&|>")   // a line begins with one of these
	unfinished = stopsAt("=+&|?(<")  // the line before ends with one
	gapEnds    = stopsAt(",=(&|+:<") // it ends with one above a blank line
)

// goesOn reports whether l belongs to the statement whose last line so far is p.
func (w *writer) goesOn(p, l *line, depth int16, strict bool) bool {
	if l.flags&closes != 0 {
		return true
	}
	semi := strict && (w.v.semi || w.v.syntax&semiEnds != 0)
	if l.flags&comment != 0 || l.flags&directive != 0 || p.flags&directive != 0 {
		return semi && l.flags&gap == 0 && p.flags&directive == 0 && !w.terminated(p)
	}
	c := w.b[l.code]
	if !strict && !w.v.layout && !w.v.inner {
		return c == '{' && p.last != ';' && p.last != '}'
	}
	word := w.first(l)
	if w.v.look(word).role == continues || w.v.layout && (c == ')' || c == ']' || c == '}') {
		return l.flags&gap == 0 || c == '}' || c == ')' || isEnd(word)
	}
	if semi {
		if l.flags&gap != 0 && !gapEnds.has(p.last) && !w.v.fold {
			return false
		}
		return !w.terminated(p)
	}
	if w.v.layout || l.flags&gap != 0 {
		return false
	}
	return c == '{' && p.last != ';' && p.last != '}' || goingOn.has(c) || unfinished.has(p.last) || p.last == ',' && depth == 0
}

// belongs reports whether a line belongs to the statement that begins on another
// one, by a rule of its language.
func (w *writer) belongs(first, l *line) bool {
	switch {
	case l.flags&comment != 0:
		return false
	case w.v.syntax&equations != 0:
		return w.sameEquation(first, l)
	}
	return w.v.look(w.first(first)).role == defines && w.v.look(w.first(l)).role != defines
}

// isEnd reports the words that end a block also after a blank line.
func isEnd(word []byte) bool {
	switch string(word) {
	case "end", "fi", "done", "esac", "END", "else", "elif", "except", "finally", "rescue", "ensure":
		return true
	}
	return false
}

// terminated reports whether no statement goes on after a line at its own depth.
func (w *writer) terminated(p *line) bool {
	switch p.last {
	case ';', '}':
		return true
	case ':':
		return w.label(p)
	case ')':
		return w.macro(p)
	case ']':
		return bytes.HasPrefix(w.b[p.code:], []byte("#!["))
	case 'p':
		return w.opensCode(p)
	}
	return p.last >= 'A' && p.last <= 'Z' && w.macro(p)
}

// opensCode reports "<?php" alone: the tag is no statement, but has the end of one.
func (w *writer) opensCode(p *line) bool {
	rest, ok := bytes.CutPrefix(w.b[p.code:], []byte("<?php"))
	if !ok {
		return false
	}
	rest = bytes.TrimLeft(rest[:lines.End(rest, 0)], " \t\r\n")
	return len(rest) == 0 || rest[0] == '/' || rest[0] == '#'
}

// label reports "public:", "case 3:".
func (w *writer) label(p *line) bool {
	text := w.b[p.code:]
	for i, c := range text {
		if c == ':' {
			return i+1 == len(text) || text[i+1] != ':'
		}
		if !w.v.ident[c] && c != ' ' {
			return false
		}
	}
	return false
}

// macro reports a line that is one word of capitals, maybe with arguments.
func (w *writer) macro(p *line) bool {
	if w.v.syntax&directives == 0 {
		return false
	}
	n := 0
	text := w.b[p.code:]
	for n < len(text) && (text[n] >= 'A' && text[n] <= 'Z' || text[n] == '_' || text[n]-'0' <= 9) {
		n++
	}
	return n > 2 && (n == len(text) || text[n] == '(' || text[n] == '\n' || text[n] == '\r')
}
