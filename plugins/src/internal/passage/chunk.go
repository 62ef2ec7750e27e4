// Package passage cuts a text into passages: chunks for a ranking, and the surroundings of
// a match.
package passage

import "unicode/utf8"

// Span is [Start, End) in a text, in bytes.
type Span struct{ Start, End int }

// Chunks cuts text into chunks of up to size bytes. They join to the text. A chunk of prose
// ends after a paragraph if possible, or else after a line, a sentence or a word. A chunk of
// JSON ends after the outermost value possible. The time is linear in the size of the text.
func Chunks(text []byte, size int) []Span {
	size = max(size, 4*utf8.UTFMax)
	cutter := &cutter{text: text, json: isJSON(text)}
	chunks := make([]Span, 0, len(text)/size*5/4+1)
	for at := 0; at < len(text); {
		end := cutter.cut(at, size)
		chunks = append(chunks, Span{at, end})
		at = end
	}
	return chunks
}

func isJSON(text []byte) bool {
	for _, c := range text {
		if c > ' ' {
			return c == '{' || c == '['
		}
	}
	return false
}

// cutter finds the ends of chunks. In JSON it knows the number of open brackets and
// whether it is in a string.
type cutter struct {
	text            []byte
	json            bool
	depth           int
	inString, slash bool
}

// cut returns the end of the chunk that begins at from: the last of the best ends. It is
// not in the first quarter, so that chunks do not get too small.
func (c *cutter) cut(from, size int) int {
	if from+size >= len(c.text) {
		return len(c.text)
	}
	best, end, then := -1<<31, from+size, *c
	for at := from + 1; at <= from+size; at++ {
		rank := c.rank(at)
		if at-from >= size/4 && rank >= best && utf8.RuneStart(c.text[at]) {
			best, end, then = rank, at, *c
		}
	}
	*c = then
	return end
}

// rank returns how good an end is at the given offset; more is better. It must be called
// for each offset in turn, because it reads the byte before.
func (c *cutter) rank(at int) int {
	if c.json {
		return c.rankJSON(c.text[at-1])
	}
	switch b := c.text[at-1]; {
	case b == '\n' && isBlankLine(c.text, at):
		return 4
	case b == '\n':
		return 3
	case at > 1 && isBlank(b) && isSentenceEnd(c.text[at-2]):
		return 2
	case isBlank(b):
		return 1
	}
	return 0
}

func (c *cutter) rankJSON(b byte) int {
	const outside, inside = -1 << 29, -1 << 30
	switch {
	case c.inString:
		if c.slash {
			c.slash = false
		} else if b == '\\' {
			c.slash = true
		} else if b == '"' {
			c.inString = false
			return outside
		}
		return inside
	case b == '"':
		c.inString = true
		return inside
	case b == '{' || b == '[':
		c.depth++
		return outside
	case b == '}' || b == ']':
		c.depth--
		return outside
	case b == ',':
		return -c.depth
	}
	return outside
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' }

// isSentenceEnd reports whether a sentence may end with b.
func isSentenceEnd(b byte) bool { return b == '.' || b == '!' || b == '?' }

// maxBlank is the number of blanks in a blank line. A line with more is not blank.
const maxBlank = 200

// isBlankLine reports whether the line that begins at the given offset is blank.
func isBlankLine(text []byte, at int) bool {
	end := min(at+maxBlank, len(text))
	for at < end && isBlank(text[at]) {
		at++
	}
	return at < end && text[at] == '\n'
}
