package log

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// coloredBytes is the size of the start of a text that isColored reads: a search is
// slow in Wasm, and a colored log has colors in its first lines.
const coloredBytes = 8 << 10

// isColored reports whether the start of a text contains control sequences.
func isColored(b []byte) bool {
	b = b[:min(len(b), coloredBytes)]
	for {
		at := lines.IndexByte(b, '\x1b')
		if at < 0 || at+1 == len(b) {
			return false
		}
		if b = b[at+1:]; b[0] == '[' {
			return true
		}
	}
}

// removeColors returns a text without the sequences that set colors (ESC [ 31 m) or
// clear the rest of a line (ESC [ K). It has the same number of lines.
func removeColors(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for {
		i := bytes.IndexByte(b, '\x1b')
		if i < 0 {
			return append(out, b...)
		}
		out = append(out, b[:i]...)
		b = b[i:]
		if n := sequenceSize(b); n > 0 {
			b = b[n:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
}

// sequenceSize returns the length of the sequence at the start of b, 0 if there is none.
func sequenceSize(b []byte) int {
	if len(b) < 2 || b[1] != '[' {
		return 0
	}
	n := 2
	for n < len(b) && (b[n]-'0' <= 9 || b[n] == ';' || b[n] == ':') {
		n++
	}
	if n < len(b) && (b[n] == 'm' || b[n] == 'K') {
		return n + 1
	}
	return 0
}

// findLines returns the offsets of the lines with the given numbers, in ascending order,
// and then the length of the text.
func findLines(b []byte, at int, line []int32) []int32 {
	out := make([]int32, 0, len(line)+1)
	for number := int32(1); at < len(b) && len(out) < len(line); number++ {
		if line[len(out)] == number {
			out = append(out, int32(at))
		}
		at = lines.End(b, at)
	}
	return append(out, int32(len(b)))
}
