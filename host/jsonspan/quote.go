package jsonspan

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes maps the letter after a backslash to the byte that it represents. It does not
// contain 'u'.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// Unquote returns the text of the string literal lit, which includes the quotes. Without
// escapes the text is a part of lit, not a copy.
//
// Errors: *SyntaxError if lit is not a JSON string, or contains a lone escaped surrogate,
// which is never replaced by U+FFFD.
func Unquote(lit []byte) ([]byte, error) {
	if len(lit) == 0 || lit[0] != '"' {
		return nil, newSyntaxError(lit, 0, `want '"'`)
	}
	if end := plainEnd(lit, 1); end == len(lit)-1 && lit[end] == '"' {
		return lit[1:end], nil
	}
	end, bad := stringEnd(lit, 0)
	if bad != nil {
		return nil, bad
	}
	if end != len(lit) {
		return nil, newSyntaxError(lit, end, "want the end of the text")
	}
	return unescape(lit)
}

// unescape decodes a valid literal.
func unescape(lit []byte) ([]byte, error) {
	inner := len(lit) - 1
	text := make([]byte, 0, len(lit)-2)
	for i := 1; i < inner; {
		run := bytes.IndexByte(lit[i:inner], '\\')
		if run < 0 {
			return append(text, lit[i:inner]...), nil
		}
		text = append(text, lit[i:i+run]...)
		i += run
		if lit[i+1] != 'u' {
			text = append(text, escapes[lit[i+1]])
			i += 2
			continue
		}
		r, n := runeAt(lit, i)
		if n == 0 {
			return nil, &SyntaxError{i, "lone surrogate"}
		}
		text = utf8.AppendRune(text, r)
		i += n
	}
	return text, nil
}

// runeAt decodes the \u escape or surrogate pair at b[i] and returns its length in bytes,
// 0 for a lone surrogate.
func runeAt(b []byte, i int) (rune, int) {
	r := hex4(b, i)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if r = utf16.DecodeRune(r, hex4(b, i+6)); r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// hex4 returns the number of the escape \uXXXX at b[i], or -1 if there is none.
func hex4(b []byte, i int) rune {
	if len(b)-i < 6 || b[i] != '\\' || b[i+1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[i+2 : i+6] {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// AppendQuote appends s as a JSON string literal. It escapes only quotes, backslashes and
// control characters. <, >, & and characters outside of ASCII are unchanged, so that a
// round trip preserves the bytes.
//
// s must be valid UTF-8, otherwise the literal is invalid too.
func AppendQuote(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		end := plainEnd(s, i)
		dst = append(dst, s[i:end]...)
		if i = end; i == len(s) {
			break
		}
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}
