package bench

import (
	"bytes"
	"encoding/json"
)

// grow makes a text about n bytes long. A text that is JSON stays JSON: what its
// longest array holds is repeated, as often as fits and once at least, so that a
// stage which reads JSON finds what it looks for. Any other text is repeated and cut.
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

// longestArray is where the elements of the longest array of a JSON text stand; both
// are 0 if there is none with elements, or the text is no JSON.
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
