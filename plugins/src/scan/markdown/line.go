package markdown

import "github.com/mcpctl/mcpctl/plugins/src/internal/lines"

// line is one line without its line end.
type line struct {
	start  int    // of the line in the text
	end    int    // after its line end
	at     int    // offset of text
	text   []byte // from the first byte that is neither blank nor tab
	indent int    // columns before text; a tab reaches the next multiple of 4
}

func (l *line) isBlank() bool { return len(l.text) == 0 }

// read reads the line of b at start.
func (l *line) read(b []byte, start int) {
	end := lines.End(b, start)
	stop := end
	for stop > start && (b[stop-1] == '\n' || b[stop-1] == '\r') {
		stop--
	}
	l.start, l.end, l.at, l.text, l.indent = start, end, start, b[start:stop], 0
	if stop > start && classes[b[start]]&atGap != 0 {
		l.text, l.indent = cutIndent(l.text, 0)
		l.at = stop - len(l.text)
	}
}

// cutIndent removes blanks and tabs from the start of b, which begins at column from. It
// returns their width in columns.
func cutIndent(b []byte, from int) (rest []byte, columns int) {
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

// countRun returns the number of bytes c at the start of b.
func countRun(b []byte, c byte) int {
	for i := range b {
		if b[i] != c {
			return i
		}
	}
	return len(b)
}

// trimRight returns b without blanks and tabs at its end.
func trimRight(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// isBlank reports whether b consists of blanks and tabs.
func isBlank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
