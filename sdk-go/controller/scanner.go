package controller

import (
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON that the host has written. A string without an escape is a part of
// the text. A method that returns false found something else than it expected; the rest
// must not be read then.
type scanner struct {
	text string
	at   int
}

// skipBlanks skips white space.
func (s *scanner) skipBlanks() {
	for s.at < len(s.text) && s.text[s.at] <= ' ' {
		s.at++
	}
}

// eat skips blanks and c, if c is next, and reports whether it was.
func (s *scanner) eat(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	s.skipBlanks()
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// array reads an array; element reads one element.
func (s *scanner) array(element func() bool) bool {
	if !s.eat('[') {
		return false
	}
	if s.eat(']') {
		return true
	}
	for element() {
		if !s.eat(',') {
			return s.eat(']')
		}
	}
	return false
}

// object reads an object; member reads the value of a key.
func (s *scanner) object(member func(key string) bool) bool {
	if !s.eat('{') {
		return false
	}
	if s.eat('}') {
		return true
	}
	for {
		key, ok := s.literal()
		if !ok || !s.eat(':') || !member(key) {
			return false
		}
		if !s.eat(',') {
			return s.eat('}')
		}
	}
}

// string reads a string. If there is another value, v is unchanged.
func (s *scanner) string(v *string) bool {
	if s.skipBlanks(); s.at == len(s.text) || s.text[s.at] != '"' {
		return s.skip()
	}
	text, ok := s.literal()
	if ok {
		*v = text
	}
	return ok
}

// bool reads true or false; see string.
func (s *scanner) bool(v *bool) bool {
	s.skipBlanks()
	from := s.at
	if !s.skip() {
		return false
	}
	switch s.text[from:s.at] {
	case "true":
		*v = true
	case "false":
		*v = false
	}
	return true
}

// skip skips any value. It does not recurse.
func (s *scanner) skip() bool {
	for depth := 0; ; {
		s.skipBlanks()
		if s.at == len(s.text) {
			return false
		}
		switch c := s.text[s.at]; c {
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		case '"':
			if !s.skipQuoted() {
				return false
			}
		case ',', ':':
			if s.at++; depth == 0 {
				return false
			}
		default:
			if !isScalarByte(c) {
				return false
			}
			for s.at < len(s.text) && isScalarByte(s.text[s.at]) {
				s.at++
			}
		}
		if depth <= 0 {
			return depth == 0
		}
	}
}

// isScalarByte reports whether c can be a byte of a number, true, false or null.
func isScalarByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// skipQuoted skips a string literal.
func (s *scanner) skipQuoted() bool {
	text := s.text
	for i := s.at + 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			s.at = i + 1
			return true
		case '\\':
			i++
		}
	}
	return false
}

// literal reads a string literal and decodes it.
func (s *scanner) literal() (string, bool) {
	if !s.eat('"') {
		return "", false
	}
	text, from := s.text, s.at
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '"':
			s.at = i + 1
			return text[from:i], true
		case '\\':
			s.at = i
			return s.escaped(from)
		}
	}
	return "", false
}

// escaped decodes the rest of a literal from its first escape on.
func (s *scanner) escaped(from int) (string, bool) {
	b := []byte(s.text[from:s.at])
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch c {
		case '"':
			return string(b), true
		case '\\':
			r, ok := s.escape()
			if !ok {
				return "", false
			}
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, c)
		}
	}
	return "", false
}

// escape reads the part of an escape after the backslash. Half of a surrogate pair becomes
// U+FFFD.
func (s *scanner) escape() (rune, bool) {
	if s.at == len(s.text) {
		return 0, false
	}
	c := s.text[s.at]
	s.at++
	switch c {
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case '"', '\\', '/':
		return rune(c), true
	case 'u':
		return s.unicode()
	}
	return 0, false
}

func (s *scanner) unicode() (rune, bool) {
	r, ok := s.unit()
	if !ok || !utf16.IsSurrogate(r) {
		return r, ok
	}
	if s.at+1 < len(s.text) && s.text[s.at] == '\\' && s.text[s.at+1] == 'u' {
		before := s.at
		s.at += 2
		low, ok := s.unit()
		if pair := utf16.DecodeRune(r, low); !ok || pair != utf8.RuneError {
			return pair, ok
		}
		s.at = before
	}
	return utf8.RuneError, true
}

// unit reads four hexadecimal digits.
func (s *scanner) unit() (rune, bool) {
	if s.at+4 > len(s.text) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s.text[s.at : s.at+4]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	s.at += 4
	return r, true
}
