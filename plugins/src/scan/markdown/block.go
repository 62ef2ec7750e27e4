package markdown

import "bytes"

// The functions below check only the text of a line. Callers must make sure that it is
// indented by less than four columns. Section numbers refer to CommonMark 0.31.

// parseATX parses an ATX heading (4.2). It returns its level, 0 if t is not a heading,
// and the span of its text in t.
func parseATX(t []byte) (level, from, to int) {
	level = countRun(t, '#')
	if level < 1 || level > 6 || level < len(t) && t[level] != ' ' && t[level] != '\t' {
		return 0, 0, 0
	}
	rest, _ := cutIndent(t[level:], 0)
	from, to = len(t)-len(rest), len(trimRight(t))
	open := to
	for open > from && t[open-1] == '#' { // the closing marks, if a blank precedes them
		open--
	}
	if open <= from {
		return level, 0, 0
	}
	if t[open-1] == ' ' || t[open-1] == '\t' {
		to = from + len(trimRight(t[from:open]))
	}
	return level, from, to
}

// underlineLevel returns the level of a setext heading (4.3) with the underline t, 0 if
// t is not an underline.
func underlineLevel(t []byte) int {
	if len(t) == 0 || classes[t[0]]&atUnder == 0 || !isBlank(t[countRun(t, t[0]):]) {
		return 0
	}
	if t[0] == '=' {
		return 1
	}
	return 2
}

// isThematicBreak reports whether t is a thematic break (4.1).
func isThematicBreak(t []byte) bool {
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

// fence is the opening mark of fenced code (4.5). The zero value means no fence.
type fence struct {
	char byte
	n    int
}

func parseFence(t []byte) fence {
	if len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return fence{}
	}
	n := countRun(t, t[0])
	if n < 3 || t[0] == '`' && bytes.IndexByte(t[n:], '`') >= 0 {
		return fence{}
	}
	return fence{t[0], n}
}

// isClosedBy reports whether t is the closing mark of f.
func (f fence) isClosedBy(t []byte) bool {
	n := countRun(t, f.char)
	return n >= f.n && isBlank(t[n:])
}

// itemMarkSize returns the size of the mark of a list item (5.2) at the start of t, or 0.
func itemMarkSize(t []byte) (n int) {
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

// parseItem parses a list item that is indented by indent columns. It returns the width of
// its mark and the blanks that belong to it, 0 if t is not a list item, and the text after
// them. The text is nil for indented code, because that opens no paragraph.
func parseItem(t []byte, indent int) (width int, text []byte) {
	mark := itemMarkSize(t)
	if mark == 0 {
		return 0, nil
	}
	text, gap := cutIndent(t[mark:], indent+mark)
	switch {
	case gap > 4:
		return mark + 1, nil
	case len(text) == 0:
		return mark + 1, nil
	}
	return mark + gap, text
}

// canInterrupt reports whether a list item may follow a paragraph without a blank line:
// it is not empty, and its number is 1 if it has one.
func canInterrupt(t []byte) bool {
	mark := itemMarkSize(t)
	return (mark == 1 || mark == 2 && t[0] == '1') && !isBlank(t[mark:])
}

// isLinkDefinition reports whether t is a link reference definition (4.7) on one line.
func isLinkDefinition(t []byte) bool {
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
