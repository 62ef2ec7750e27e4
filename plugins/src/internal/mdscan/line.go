package mdscan

import "github.com/mcpctl/mcpctl/plugins/src/internal/lines"

// line is one line without its line end.
type line struct {
	start  int    // of the line in the text
	end    int    // after its line end
	at     int    // where text begins
	text   []byte // from the first byte that is neither blank nor tab
	indent int    // columns before text; a tab reaches the next multiple of 4
}

func (l *line) blank() bool { return len(l.text) == 0 }

// read reads the line of b at start.
func (l *line) read(b []byte, start int) {
	end := lines.End(b, start)
	stop := end
	for stop > start && (b[stop-1] == '\n' || b[stop-1] == '\r') {
		stop--
	}
	l.start, l.end, l.at, l.text, l.indent = start, end, start, b[start:stop], 0
	if stop > start && starts[b[start]]&atGap != 0 {
		l.text, l.indent = indented(l.text, 0)
		l.at = stop - len(l.text)
	}
}

// indented takes blanks and tabs off the front of b, which begins at column
// from, and counts the columns they fill.
func indented(b []byte, from int) (rest []byte, columns int) {
	at := from
	for i, c := range b {
		switch c {
		case ' ':
			at++
		case '\t':
			at += 4 - at%4
		default:
			return b[i:], at - from
		}
	}
	return nil, at - from
}

// run counts how many bytes c stand at the front of b.
func run(b []byte, c byte) int {
	for i := range b {
		if b[i] != c {
			return i
		}
	}
	return len(b)
}

// trimmed takes blanks and tabs off the end of b.
func trimmed(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// onlyBlanks reports whether b holds nothing but blanks and tabs.
func onlyBlanks(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
