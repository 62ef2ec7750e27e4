package jsonspan

import (
	"bytes"
	"unicode/utf8"
)

// MinimizeEscapes returns a valid JSON text with only the escapes that
// AppendQuote writes: \/ becomes /, and \u0070 becomes p, in keys as well. The
// value is unchanged. A lone escaped surrogate is kept, because it is not a
// character.
//
// If there is nothing to replace, the result is b itself, not a copy.
func MinimizeEscapes(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u`)) && !bytes.Contains(b, []byte(`\/`)) {
		return b
	}
	text := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		run := bytes.IndexByte(b[i:], '\\')
		if run < 0 || i+run+1 == len(b) {
			return append(text, b[i:]...)
		}
		text = append(text, b[i:i+run]...)
		i += run
		n := 2
		switch b[i+1] {
		case '/':
			text = append(text, '/')
		case 'u':
			text, n = appendEscaped(text, b, i)
		default:
			text = append(text, b[i:i+2]...)
		}
		i += n
	}
	return text
}

// appendEscaped appends the character of the \u escape at b[i], and returns the length of
// the escape in bytes.
func appendEscaped(text, b []byte, i int) ([]byte, int) {
	r, n := runeAt(b, i)
	if n == 0 || r < 0 {
		return append(text, b[i:i+2]...), 2
	}
	var char [utf8.UTFMax]byte
	quoted := AppendQuote(make([]byte, 0, 8), utf8.AppendRune(char[:0], r))
	return append(text, quoted[1:len(quoted)-1]...), n
}
