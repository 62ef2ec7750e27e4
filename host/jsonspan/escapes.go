package jsonspan

import (
	"bytes"
	"unicode/utf8"
)

// MinimizeEscapes returns a valid JSON text with only the escapes that
// AppendQuote writes: \/ becomes /, and \u0070 becomes p, in keys as well. The
// value is unchanged. An escaped surrogate without its other half stays, for it
// is no character.
//
// Without such an escape the result is b itself, not a copy.
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

// appendEscaped appends the character of the \u escape at b[i], and returns how
// many bytes the escape takes.
func appendEscaped(text, b []byte, i int) ([]byte, int) {
	r, n := runeAt(b, i)
	if n == 0 || r < 0 {
		return append(text, b[i:i+2]...), 2
	}
	var char [utf8.UTFMax]byte
	quoted := AppendQuote(make([]byte, 0, 8), utf8.AppendRune(char[:0], r))
	return append(text, quoted[1:len(quoted)-1]...), n
}
