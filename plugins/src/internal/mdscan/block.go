package mdscan

import "bytes"

// The rules below look at a line's text only; that it is indented by less than
// four columns is for the caller to know. Section numbers are those of
// CommonMark 0.31.

// atx reads an ATX heading (4.2) and returns its level, 0 if it is none, and
// where in t its text stands.
func atx(t []byte) (level, from, to int) {
	level = run(t, '#')
	if level < 1 || level > 6 || level < len(t) && t[level] != ' ' && t[level] != '\t' {
		return 0, 0, 0
	}
	rest, _ := indented(t[level:], 0)
	from, to = len(t)-len(rest), len(trimmed(t))
	open := to
	for open > from && t[open-1] == '#' { // the closing marks, if they stand apart
		open--
	}
	if open <= from {
		return level, 0, 0
	}
	if t[open-1] == ' ' || t[open-1] == '\t' {
		to = from + len(trimmed(t[from:open]))
	}
	return level, from, to
}

// underline reads the underline of a setext heading (4.3): level 1 or 2, or 0.
func underline(t []byte) int {
	if len(t) == 0 || starts[t[0]]&atUnder == 0 || !onlyBlanks(t[run(t, t[0]):]) {
		return 0
	}
	if t[0] == '=' {
		return 1
	}
	return 2
}

// rule reports whether t is a thematic break (4.1).
func rule(t []byte) bool {
	if len(t) < 3 || t[0] != '*' && t[0] != '-' && t[0] != '_' {
		return false
	}
	marks := 0
	for _, c := range t {
		switch c {
		case t[0]:
			marks++
		case ' ', '\t':
		default:
			return false
		}
	}
	return marks >= 3
}

// fence is the opening mark of fenced code (4.5); the zero fence is none.
type fence struct {
	char byte
	n    int
}

func openFence(t []byte) fence {
	if len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return fence{}
	}
	n := run(t, t[0])
	if n < 3 || t[0] == '`' && bytes.IndexByte(t[n:], '`') >= 0 {
		return fence{}
	}
	return fence{t[0], n}
}

// closes reports whether t ends the code that f began.
func (f fence) closes(t []byte) bool {
	n := run(t, f.char)
	return n >= f.n && onlyBlanks(t[n:])
}

// itemMark is the length of the mark of a list item (5.2) that t begins with, or 0.
func itemMark(t []byte) (n int) {
	switch c := t[0]; {
	case c == '-' || c == '+' || c == '*':
		n = 1
	case c-'0' <= 9:
		for n < len(t) && n < 10 && t[n]-'0' <= 9 {
			n++
		}
		if n > 9 || n == len(t) || t[n] != '.' && t[n] != ')' {
			return 0
		}
		n++
	}
	if n > 0 && n < len(t) && t[n] != ' ' && t[n] != '\t' {
		return 0
	}
	return n
}

// item reads a list item that is indented by so many columns: how many its mark
// and the blanks that belong to it take, 0 if it is none, and the text behind
// them, which is nil for indented code: that opens no paragraph.
func item(t []byte, indent int) (width int, text []byte) {
	mark := itemMark(t)
	if mark == 0 {
		return 0, nil
	}
	text, gap := indented(t[mark:], indent+mark)
	switch {
	case gap > 4:
		return mark + 1, nil
	case len(text) == 0:
		return mark + 1, nil
	}
	return mark + gap, text
}

// interrupts reports whether a list item may follow a paragraph without a blank
// line: it is not empty, and numbered from 1 if at all.
func interrupts(t []byte) bool {
	mark := itemMark(t)
	return (mark == 1 || mark == 2 && t[0] == '1') && !onlyBlanks(t[mark:])
}

// definition reports whether t is a link reference definition (4.7) on one line.
func definition(t []byte) bool {
	if t[0] != '[' {
		return false
	}
	end := bytes.Index(t, []byte("]:"))
	if end < 2 || bytes.IndexByte(t[1:end], '[') >= 0 {
		return false
	}
	dest := bytes.Trim(t[end+2:], " \t")
	i := bytes.IndexAny(dest, " \t")
	if i < 0 {
		return len(dest) > 0
	}
	title := bytes.TrimLeft(dest[i:], " \t")
	last := title[len(title)-1]
	return len(title) > 1 && (title[0] == '"' && last == '"' || title[0] == '\'' && last == '\'' || title[0] == '(' && last == ')')
}
