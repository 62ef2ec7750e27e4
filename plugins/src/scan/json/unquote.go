package json

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote appends the text of a valid string literal to dst, but stops soon after max bytes:
// names and titles need no more. A lone surrogate becomes U+FFFD.
func Unquote(dst, literal []byte, max int) []byte {
	body := literal[1 : len(literal)-1]
	for room := len(dst) + max; len(body) > 0 && len(dst) < room; {
		if body[0] != '\\' {
			n := 1
			for n < len(body) && body[n] != '\\' && len(dst)+n < room {
				n++
			}
			for n < len(body) && !utf8.RuneStart(body[n]) {
				n++
			}
			dst, body = append(dst, body[:n]...), body[n:]
			continue
		}
		r, n := unescape(body)
		dst, body = utf8.AppendRune(dst, r), body[n:]
	}
	return dst
}

// unescape decodes the escape sequence at the start of b, two of them where
// they are a surrogate pair, and returns its length.
func unescape(b []byte) (r rune, n int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r = parseUnit(b[2:6])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if pair := utf16.DecodeRune(r, parseUnit(b[8:12])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return rune(b[1]), 2
}

// parseUnit reads four hex digits.
func parseUnit(b []byte) (r rune) {
	for _, c := range b {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c | 0x20 - 'a' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}
