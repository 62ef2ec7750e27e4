package tree

import (
	"bytes"
	"unicode/utf8"
)

// IsBorder reports whether i is between two characters of b.
func IsBorder(b []byte, i int) bool { return i >= len(b) || utf8.RuneStart(b[i]) }

// Border moves a cut back to the beginning of a character or of an escape of a
// JSON string. If that would reach start, it moves the cut forward to the next
// character.
func Border(text []byte, start, at int) int {
	from := at
	for at > start && !IsBorder(text, at) {
		at--
	}
	at = escapeStart(text, start, at)
	if at > start {
		return at
	}
	for at = from; at < len(text) && !utf8.RuneStart(text[at]); {
		at++
	}
	return at
}

// RangeBorder is like Border for an end of a range of base. It leaves at
// unchanged where a line or base begins or ends.
func RangeBorder(base *Part, start, at int) int {
	text := base.Source.Text
	if at <= start || at >= base.End || text[at-1] == '\n' {
		return at
	}
	return Border(text, start, at)
}

// escapeStart returns the start of the JSON escape that a cut at would split, or
// at. A surrogate pair counts as one escape. In a text other than JSON the cut
// may move too, by at most 11 bytes.
func escapeStart(text []byte, start, at int) int {
	for _, back := range [...]int{1, 2, 3, 4, 5} {
		i := at - back
		if i < start || text[i] != '\\' {
			continue
		}
		if !beginsEscape(text, start, i) {
			return at
		}
		if back > 1 && (i+1 >= len(text) || text[i+1] != 'u') {
			return at
		}
		at = i
		break
	}
	if at-6 >= start && isSurrogate(text[at-6:], "89ab") && isSurrogate(text[at:], "cdef") && beginsEscape(text, start, at-6) {
		return at - 6
	}
	return at
}

// beginsEscape reports whether the backslash at i is not escaped itself.
func beginsEscape(text []byte, start, i int) bool {
	n := 0
	for i-n > start && text[i-n-1] == '\\' {
		n++
	}
	return n%2 == 0
}

// isSurrogate reports whether b begins with \uD and one of these digits.
func isSurrogate(b []byte, digits string) bool {
	return len(b) >= 6 && b[0] == '\\' && b[1] == 'u' && b[2]|0x20 == 'd' && bytes.IndexByte([]byte(digits), b[3]|0x20) >= 0
}
