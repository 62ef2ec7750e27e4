package html

import "bytes"

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Classes of bytes.
const (
	nameByte  = 1 << iota // part of the name of a tag
	plainByte             // text that is shown unchanged
)

// class holds the classes of each byte. In WebAssembly a table is faster than
// comparisons.
var class = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		if isLetter(c) || c-'0' <= 9 || c == '-' || c == ':' || c == '_' || c == '.' {
			t[c] |= nameByte
		}
		if !isSpace(c) && c != '<' && c != '&' {
			t[c] |= plainByte
		}
	}
	return t
}()

// nameEnd returns the end of the name of a tag that begins at b[at].
func nameEnd(b []byte, at int) int {
	for at < len(b) && class[b[at]]&nameByte != 0 {
		at++
	}
	return at
}

// isAddress reports whether the name of a tag that ends at b[end] is the scheme of an address in angle brackets:
// <http://example.org/>.
func isAddress(b []byte, end int) bool {
	return b[end-1] == ':' && end+1 < len(b) && b[end] == '/' && b[end+1] == '/'
}

// expressionEnd returns the offset after the braces that begin at b[at], as Svelte and JSX have them around
// values: a={() => b}. ok reports whether they balance before the next tag, so that a second search from
// the same tag is not needed and all searches together read a text once.
func expressionEnd(b []byte, at int) (end int, ok bool) {
	depth := 0
	for i := at; i < len(b); i++ {
		switch b[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '<':
			if i+1 < len(b) && (isLetter(b[i+1]) || b[i+1] == '/') {
				return at + 1, false
			}
		}
	}
	return at + 1, false
}

// tagEnd returns the end of the tag that continues at b[at]. Quotes and braces have a meaning only
// after "=". A tag without an end ends with the text.
func tagEnd(b []byte, at int) int {
	braces := true
	for at < len(b) {
		switch b[at] {
		case '>':
			return at + 1
		case '=':
			at++
			for at < len(b) && isSpace(b[at]) {
				at++
			}
			switch {
			case at == len(b):
			case b[at] == '"', b[at] == '\'':
				n := bytes.IndexByte(b[at+1:], b[at])
				if n < 0 {
					return len(b)
				}
				at += n + 2
			case b[at] == '{' && braces:
				at, braces = expressionEnd(b, at)
			}
		default:
			at++
		}
	}
	return len(b)
}

// attributes yields the attributes of the tag that ends at end. b[at] follows its name.
func attributes(b []byte, at, end int, yield func(name, value span) bool) {
	for at < end {
		for at < end && isSeparator(b[at]) {
			at++
		}
		start := at
		for at < end && b[at] != '=' && !isSeparator(b[at]) {
			at++
		}
		name := span{int32(start), int32(at)}
		for at < end && isSpace(b[at]) {
			at++
		}
		value := span{}
		if at < end && b[at] == '=' {
			value, at = attributeValue(b, at+1, end)
		}
		if start == at || name.start < name.end && !yield(name, value) {
			return
		}
	}
}

// isSeparator reports whether c separates attributes.
func isSeparator(c byte) bool { return isSpace(c) || c == '/' || c == '>' }

// attributeValue reads the value after "=".
func attributeValue(b []byte, at, end int) (value span, next int) {
	for at < end && isSpace(b[at]) {
		at++
	}
	start := at
	if at < end && (b[at] == '"' || b[at] == '\'') {
		n := bytes.IndexByte(b[at+1:end], b[at])
		if n < 0 {
			return span{}, end
		}
		return span{int32(start + 1), int32(start + 1 + n)}, start + n + 2
	}
	for at < end && !isSpace(b[at]) && b[at] != '>' {
		at++
	}
	return span{int32(start), int32(at)}, at
}

// attribute returns the value of one attribute, empty if there is none.
func attribute(b []byte, at, end int, want string) (found span) {
	attributes(b, at, end, func(name, value span) bool {
		if bytes.EqualFold(b[name.start:name.end], []byte(want)) {
			found = value
		}
		return found == span{}
	})
	return found
}
