package testhost

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// hasLoneSurrogate reports whether a literal has an escape of half a surrogate pair, which
// has no UTF-8.
func hasLoneSurrogate(literal []byte) bool {
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		if i++; literal[i] != 'u' {
			continue
		}
		r := unit(literal[i+1:])
		if i += 4; !utf16.IsSurrogate(r) {
			continue
		}
		rest := literal[i+1:]
		if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' || utf16.DecodeRune(r, unit(rest[2:])) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// unit reads the four hex digits at the start of b.
func unit(b []byte) rune {
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
