package mdscan

import "bytes"

// line is one line without its line end, seen from some column on.
type line struct {
	start  int    // of the line in the text
	end    int    // after its line end
	text   []byte // from the first byte that is neither blank nor tab
	indent int    // columns before text; a tab reaches the next multiple of 4
}

func (l line) blank() bool { return len(l.text) == 0 }

// readLine returns the line of b at start.
func readLine(b []byte, start int) line {
	end := len(b)
	if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
		end = start + i + 1
	}
	text := b[start:end]
	for len(text) > 0 && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r') {
		text = text[:len(text)-1]
	}
	l := line{start: start, end: end}
	l.text, l.indent = indented(text, 0)
	return l
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

// onlyBlanks reports whether b holds nothing but blanks and tabs.
func onlyBlanks(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}
