package testhost

// EstimateTokens returns the estimate of buf_tokens: the sum of a figure for each run of
// bytes of one class, in hundredths of a token, rounded half up.
func EstimateTokens(p []byte) int {
	total := 0
	for i := 0; i < len(p); {
		c, n := classOf(p[i]), 1
		for i+n < len(p) && classOf(p[i+n]) == c {
			n++
		}
		total += runTokens(c, n)
		i += n
	}
	return (total + 50) / 100
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

func runTokens(c class, n int) int {
	switch c {
	case letter:
		return 65 + 125*((n-1)/6)
	case digit:
		return 175 * ((n + 2) / 3)
	case newline:
		return 100 * n
	case high:
		return 12 * n
	case other:
		return 75 + 13*n
	}
	return 0
}
