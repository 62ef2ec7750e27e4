// Package count counts the tokens of texts for the benchmarks, in one encoding.
package count

import (
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// Counter counts o200k_base tokens. It is not safe for concurrent use.
type Counter struct {
	codec tokenizer.Codec
	err   error
}

// New returns a counter.
func New() (*Counter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	return &Counter{codec: codec}, err
}

// Err returns the first error of Tokens.
func (c *Counter) Err() error { return c.err }

// piece is the maximum number of bytes per call of the tokenizer, because its time is
// quadratic in the length of a line.
const piece = 64 << 10

// Tokens returns the number of tokens of a text.
func (c *Counter) Tokens(text string) int {
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
