package bench

import (
	"bytes"
	"encoding/json"
)

// grow returns a text of about n bytes. JSON stays JSON: the elements of its longest
// array are repeated as often as they fit, and at least once, so that a stage that reads
// JSON finds the expected fields. Any other text is repeated and cut.
func grow(text []byte, n int) []byte {
	start, end := longestArray(text)
	if start == end {
		return fill(text, n)
	}
	elements := bytes.TrimSpace(text[start:end])
	times := max(1, (n-len(text)+len(elements))/(len(elements)+1))
	var b bytes.Buffer
	b.Write(text[:start])
	b.Write(bytes.TrimSuffix(bytes.Repeat(append(bytes.Clone(elements), ','), times), []byte{','}))
	b.Write(text[end:])
	return b.Bytes()
}

// longestArray returns the span of the elements of the longest array in a JSON text. Both
// are 0 if there is no array with elements, or if the text is not JSON.
func longestArray(text []byte) (start, end int) {
	if !json.Valid(text) {
		return 0, 0
	}
	d := json.NewDecoder(bytes.NewReader(text))
	var open []int // where the elements of the arrays around begin
	for {
		token, err := d.Token()
		if err != nil {
			return start, end
		}
		at := int(d.InputOffset())
		switch token {
		case json.Delim('['):
			open = append(open, at)
		case json.Delim(']'):
			from, to := open[len(open)-1], at-1
			if open = open[:len(open)-1]; to-from > end-start && len(bytes.TrimSpace(text[from:to])) > 0 {
				start, end = from, to
			}
		}
	}
}
