package csv

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// endsWithCR reports whether the lines of a text end with a carriage return alone, as old spreadsheets write
// them. Other line ends are in quotes. Most texts have no carriage return near their start.
func endsWithCR(b []byte, at int) bool {
	i := at + lines.IndexByte(b[at:min(len(b), at+sampleBytes)], '\r')
	if i < at || i+1 < len(b) && b[i+1] == '\n' {
		return false
	}
	return bytes.Count(b, []byte("\r"))-bytes.Count(b, []byte("\r\n")) > lines.Count(b)
}

// withNewlines returns a copy of a text with line feeds instead of carriage returns. The offsets remain those of the
// text, so that the spans of records are valid in both.
func withNewlines(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if c == '\r' {
			b[i] = '\n'
		}
	}
	return b
}
