package stagetest

import "math"

// estimateTokens is the estimate of buf_tokens: a figure for each run of bytes of
// one class.
func estimateTokens(p []byte) int {
	total := 0.0
	for i := 0; i < len(p); {
		c, n := classOf(p[i]), 1
		for i+n < len(p) && classOf(p[i+n]) == c {
			n++
		}
		total += runTokens(c, n)
		i += n
	}
	return int(math.Round(total))
}

type class byte

const (
	letter class = iota
	digit
	blank
	newline
	high
	other
)

func classOf(c byte) class {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return letter
	case c >= '0' && c <= '9':
		return digit
	case c == '\n':
		return newline
	case c == ' ', c == '\t', c == '\r':
		return blank
	case c >= 0x80:
		return high
	}
	return other
}

func runTokens(c class, n int) float64 {
	switch c {
	case letter:
		return 0.65 + 1.25*float64((n-1)/6)
	case digit:
		return 1.75 * float64((n+2)/3)
	case newline:
		return float64(n)
	case high:
		return 0.12 * float64(n)
	case other:
		return 0.75 + 0.13*float64(n)
	}
	return 0
}
