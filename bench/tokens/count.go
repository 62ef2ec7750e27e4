package main

import (
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// counter counts o200k_base tokens.
type counter struct {
	codec tokenizer.Codec
	err   error // the first error
}

func newCounter() (*counter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	return &counter{codec: codec}, err
}

// piece is the maximum number of bytes per call of the tokenizer, because its time is
// quadratic in the length of a line.
const piece = 64 << 10

// tokens returns the number of tokens of a text.
func (c *counter) tokens(text string) int {
	n := 0
	for len(text) > 0 {
		cut := min(piece, len(text))
		for cut < len(text) && cut > 1 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		got, err := c.codec.Count(text[:cut])
		if err != nil && c.err == nil {
			c.err = err
		}
		n, text = n+got, text[cut:]
	}
	return n
}
