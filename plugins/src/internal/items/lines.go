package items

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// Lines reads a text line by line. A line ends with LF or CRLF, or with CR in a text
// without LF.
type Lines struct {
	text []byte
	end  byte
}

// LinesOf returns the lines of a text.
func LinesOf(text []byte) Lines {
	if bytes.IndexByte(text, '\n') < 0 {
		return Lines{text, '\r'}
	}
	return Lines{text, '\n'}
}

// Start returns the offset of the first line, after a byte order mark.
func (l Lines) Start() int { return lines.Start(l.text) }

// End returns the offset after the line at an offset.
func (l Lines) End(at int) int {
	if n := bytes.IndexByte(l.text[at:], l.end); n >= 0 {
		return at + n + 1
	}
	return len(l.text)
}

// Trim returns the line at an offset without blanks around it, its indentation and the
// offset of the next line.
func (l Lines) Trim(at int) (text []byte, indent, next int) {
	next = l.End(at)
	line := bytes.TrimRight(l.text[at:next], " \t\r\n")
	text = bytes.TrimLeft(line, " \t")
	return text, len(line) - len(text), next
}
