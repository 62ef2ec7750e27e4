package yamlscan

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// appendText appends the text of a key without quotes and escapes.
func appendText(dst, key []byte) []byte {
	if len(key) < 2 || key[0] != '"' && key[0] != '\'' {
		return append(dst, key...)
	}
	body := key[1 : len(key)-1]
	if key[0] == '\'' {
		return append(dst, bytes.ReplaceAll(body, []byte("''"), []byte("'"))...)
	}
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 || i+1 == len(body) {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		r, n := unescape(body[i+1:])
		dst, body = utf8.AppendRune(dst, r), body[i+1+n:]
	}
}

// escapes are those of one character.
var escapes = map[byte]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b,
	'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029,
}

// digitsOf are the escapes by number: how many hexadecimal digits follow.
var digitsOf = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// unescape decodes what follows a backslash and returns its length.
func unescape(b []byte) (r rune, n int) {
	if r, ok := escapes[b[0]]; ok {
		return r, 1
	}
	if n := digitsOf[b[0]]; n > 0 && len(b) > n {
		if v, err := strconv.ParseUint(string(b[1:1+n]), 16, 32); err == nil {
			return rune(min(v, utf8.MaxRune)), 1 + n
		}
	}
	return utf8.DecodeRune(b)
}
