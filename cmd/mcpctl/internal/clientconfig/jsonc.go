package clientconfig

import "bytes"

// strictJSON returns a copy of text with the byte order mark, comments and trailing commas replaced
// by
// blanks. Offsets stay valid because the length is unchanged. VS Code, Cursor and Gemini CLI accept
// all three in their files.
func strictJSON(text []byte) []byte {
	view := withoutComments(text)
	last := byte(0) // the last byte that is not blank
	comma := -1     // offset of last, if it is a comma after a value
	for i := 0; i < len(view); i++ {
		c := view[i]
		switch {
		case isBlank(c):
			continue
		case c == '"':
			i = stringEnd(view, i) - 1
		case c == ',' && last != 0 && bytes.IndexByte([]byte("{[,:"), last) < 0:
			comma, last = i, c
			continue
		case (c == '}' || c == ']') && comma >= 0:
			view[comma] = ' '
		}
		comma, last = -1, c
	}
	return view
}

// withoutComments returns a copy of text with the byte order mark and comments replaced by blanks.
// The
// length and the line ends are unchanged.
func withoutComments(text []byte) []byte {
	view := bytes.Clone(text)
	if bytes.HasPrefix(view, []byte("\xef\xbb\xbf")) {
		blank(view[:3])
	}
	for i := 0; i < len(view); {
		switch {
		case view[i] == '"':
			i = stringEnd(view, i)
		case commentEnd(view, i) > i:
			end := commentEnd(view, i)
			blank(view[i:end])
			i = end
		default:
			i++
		}
	}
	return view
}

// commentEnd returns the end of the comment that begins at i, or i if there is no comment. An
// unclosed
// block comment is not a comment; the text is then invalid JSON.
func commentEnd(text []byte, i int) int {
	rest := text[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexAny(rest, "\r\n"); n >= 0 {
			return i + n
		}
		return len(text)
	case bytes.HasPrefix(rest, []byte("/*")):
		if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
			return i + 2 + n + 2
		}
	}
	return i
}

// stringEnd returns the end of the string literal that begins at i, or the end of the text if the
// literal is not closed.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// afterLineComments returns the end of the comments between at and the end of its line. If anything
// else follows in the line, it returns at.
func afterLineComments(text []byte, at int) int {
	end := at
	for i := at; i < len(text); {
		switch next := commentEnd(text, i); {
		case next > i:
			if bytes.IndexByte(text[i:next], '\n') >= 0 {
				return at
			}
			i, end = next, next
		case text[i] == ' ' || text[i] == '\t':
			i++
		case text[i] == '\r' || text[i] == '\n':
			return end
		default:
			return at
		}
	}
	return end
}
