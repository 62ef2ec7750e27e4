package logscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// isColored reports whether the start of a text has the sequences that color a
// terminal: who colors a log colors its first lines, and a search is slow in Wasm.
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

const coloredBytes = 8 << 10

// colorless is a text without the sequences that color it, ESC [ 31 m, or clear
// the rest of the line, ESC [ K. It has the same lines.
func colorless(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for {
		i := bytes.IndexByte(b, '\x1b')
		if i < 0 {
			return append(out, b...)
		}
		out = append(out, b[:i]...)
		b = b[i:]
		if n := sequence(b); n > 0 {
			b = b[n:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
}

// sequence is the length of the one that b begins with, 0 if it is none.
func sequence(b []byte) int {
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

// placed are where the records stand in the text as it came, which lines of the
// same numbers begin, and its end.
func placed(b []byte, at int, line []int32) []int32 {
	out := make([]int32, 0, len(line)+1)
	for number := int32(1); at < len(b) && len(out) < len(line); number++ {
		if line[len(out)] == number {
			out = append(out, int32(at))
		}
		at = lines.End(b, at)
	}
	return append(out, int32(len(b)))
}
