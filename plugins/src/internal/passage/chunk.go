// Package passage cuts passages out of a text: pieces to be ranked, and what stands
// round a place.
package passage

import "unicode/utf8"

// Span is [Start, End) of a text, in bytes.
type Span struct{ Start, End int }

// Chunks cuts text into pieces of up to size bytes, which join to the text. A piece ends
// where the text does most: prose behind a paragraph, else a line, a sentence, a word;
// JSON behind the outermost value. It takes time as the length of the text.
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

// cutter knows where in the JSON it is: inside of how many brackets, in a string.
type cutter struct {
	text            []byte
	json            bool
	depth           int
	inString, slash bool
}

// cut gives the end of the piece that begins at from: of the best ends the last. The
// first quarter has none, so that pieces do not get too small.
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

// rank says how good an end is at, more is better; it reads the byte before.
func (c *cutter) rank(at int) int {
	if c.json {
		return c.rankJSON(c.text[at-1])
	}
	switch b := c.text[at-1]; {
	case b == '\n' && blankLine(c.text, at):
		return 4
	case b == '\n':
		return 3
	case at > 1 && blank(b) && ends(c.text[at-2]):
		return 2
	case blank(b):
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

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' }

// ends reports whether a sentence ends with the byte.
func ends(b byte) bool { return b == '.' || b == '!' || b == '?' }

// maxBlank is how many blanks of a line are looked at: one with more is not blank.
const maxBlank = 200

// blankLine reports whether the line that begins at has nothing in it.
func blankLine(text []byte, at int) bool {
	end := min(at+maxBlank, len(text))
	for at < end && blank(text[at]) {
		at++
	}
	return at < end && text[at] == '\n'
}
