// Package jsontext writes JSON: strings and objects of them.
package jsontext

import (
	"strconv"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string literal. Only bytes that must be escaped are;
// invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, c)
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// String returns s as a JSON string literal.
func String(s string) string { return string(AppendString(make([]byte, 0, len(s)+2), s)) }

// Object is a JSON object that is written member by member. The zero Object is {}.
type Object struct{ b []byte }

// Text adds a string.
func (o *Object) Text(key, value string) {
	o.key(key)
	o.b = AppendString(o.b, value)
}

// Raw adds a JSON value.
func (o *Object) Raw(key, value string) {
	o.key(key)
	o.b = append(o.b, value...)
}

// Int adds a number.
func (o *Object) Int(key string, value int) { o.Raw(key, strconv.Itoa(value)) }

// Texts adds a list of strings.
func (o *Object) Texts(key string, values []string) {
	o.key(key)
	o.b = append(o.b, '[')
	for i, v := range values {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = AppendString(o.b, v)
	}
	o.b = append(o.b, ']')
}

func (o *Object) key(key string) {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(AppendString(o.b, key), ':')
}

// String returns the object.
func (o *Object) String() string {
	if len(o.b) == 0 {
		return "{}"
	}
	return string(o.b) + "}"
}
