package hcl

import "bytes"

// tokens skips the tokens of a text.
type tokens struct {
	b        []byte
	at       int
	closers  []byte // of the open brackets and strings of an expression
	unclosed bool   // the text ended in a bracket, a string or a comment
	searches int    // heredocs without an end
}

func isWordStart(c byte) bool { return c|0x20-'a' < 26 || c == '_' || c >= 0x80 }

func isWord(c byte) bool { return isWordStart(c) || c-'0' < 10 || c == '-' }

func (t *tokens) isAt(c byte) bool { return t.at < len(t.b) && t.b[t.at] == c }

func (t *tokens) isAtNext(c byte) bool { return t.at+1 < len(t.b) && t.b[t.at+1] == c }

// word skips a word and returns it.
func (t *tokens) word() []byte {
	from := t.at
	if t.at < len(t.b) && isWordStart(t.b[t.at]) {
		for t.at < len(t.b) && (isWord(t.b[t.at]) || t.b[t.at] == '.') {
			t.at++
		}
	}
	return t.b[from:t.at]
}

// skipSpace skips white space, comments and a byte order mark.
func (t *tokens) skipSpace() {
	if t.at == 0 && bytes.HasPrefix(t.b, []byte("\xef\xbb\xbf")) {
		t.at = 3
	}
	for t.at < len(t.b) {
		switch c := t.b[t.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			t.at++
		case !t.skipComment():
			return
		}
	}
}

// skipBlanks skips blanks and comments that end in the same line.
func (t *tokens) skipBlanks() {
	for t.at < len(t.b) && (t.b[t.at] == ' ' || t.b[t.at] == '\t' || t.isAt('/') && t.isAtNext('*') && t.skipComment()) {
		if t.isAt(' ') || t.isAt('\t') {
			t.at++
		}
	}
}

// skipComment skips a comment at the offset. It leaves the end of its line.
func (t *tokens) skipComment() bool {
	switch {
	case t.isAt('#'), t.isAt('/') && t.isAtNext('/'):
		t.skipLine()
	case t.isAt('/') && t.isAtNext('*'):
		n := bytes.Index(t.b[t.at+2:], []byte("*/"))
		if n < 0 {
			t.at, t.unclosed = len(t.b), true
			return true
		}
		t.at += n + len("/**/")
	default:
		return false
	}
	return true
}

// skipLine skips to the end of the line.
func (t *tokens) skipLine() {
	n := bytes.IndexAny(t.b[t.at:], "\r\n")
	if n < 0 {
		n = len(t.b) - t.at
	}
	t.at += n
}

// endOfLine skips the rest of the line if it is blank or a comment, and returns the
// offset after it; else it returns the offset.
func (t *tokens) endOfLine() int {
	before := t.at
	for t.at < len(t.b) && (t.b[t.at] == ' ' || t.b[t.at] == '\t' || t.b[t.at] == ',') {
		t.at++
	}
	if t.isAt('#') || t.isAt('/') && t.isAtNext('/') {
		t.skipLine()
	}
	switch {
	case t.at == len(t.b):
	case t.isAt('\r') && t.isAtNext('\n'):
		t.at += 2
	case t.isAt('\r'), t.isAt('\n'):
		t.at++
	default:
		t.at = before
	}
	return t.at
}

// skipLabel skips the label of a block: a word, or a string on one line.
func (t *tokens) skipLabel() bool {
	if t.at >= len(t.b) || t.b[t.at] != '"' {
		return len(t.word()) > 0
	}
	for i := t.at + 1; i < len(t.b); i++ {
		switch t.b[i] {
		case '"':
			t.at = i + 1
			return true
		case '\\':
			i++
		case '\n', '\r':
			return false
		}
	}
	return false
}

// isFor reports whether the bracket at the offset begins { for k, v in x : k => v }.
func (t *tokens) isFor() bool {
	look := tokens{b: t.b, at: t.at + 1}
	look.skipSpace()
	return string(look.word()) == "for" && (look.isAt(' ') || look.isAt('\t') || look.isAt('\n') || look.isAt('\r'))
}

// skipTo skips to after the bracket that closes the open one.
func (t *tokens) skipTo(closer byte) {
	t.closers = append(t.closers[:0], closer)
	t.skipNested()
}

// skipExpression skips an expression, up to the end of its line, a comment there, a comma or
// the bracket that closes the enclosing block or expression.
func (t *tokens) skipExpression() {
	t.closers = t.closers[:0]
	for t.at < len(t.b) {
		switch c := t.b[t.at]; c {
		case '\n', '\r', ',', '}', ')', ']', '#':
			return
		default:
			if c == '/' && t.isAtNext('/') {
				return
			}
			t.skipToken(c)
			t.skipNested()
		}
	}
}

// skipNested skips the content of the open brackets and strings.
func (t *tokens) skipNested() {
	for len(t.closers) > 0 {
		if t.at >= len(t.b) {
			t.unclosed = true
			return
		}
		c, last := t.b[t.at], len(t.closers)-1
		switch {
		case c == t.closers[last]:
			t.closers = t.closers[:last]
			t.at++
		case t.closers[last] == '"':
			t.skipInString(c)
		default:
			t.skipToken(c)
		}
	}
}

// skipInString skips a character of a string, or opens a template in it. A string ends at
// the end of its line.
func (t *tokens) skipInString(c byte) {
	switch {
	case c == '\\' && t.at+1 < len(t.b) && t.b[t.at+1] != '\n' && t.b[t.at+1] != '\r':
		t.at += 2
	case (c == '$' || c == '%') && t.isAtNext(c): // an escaped template: $${
		t.at += 2
		if t.isAt('{') {
			t.at++
		}
	case (c == '$' || c == '%') && t.isAtNext('{'):
		t.closers = append(t.closers, '}')
		t.at += 2
	case c == '\n' || c == '\r':
		t.closers = t.closers[:len(t.closers)-1]
		t.unclosed = true
	default:
		t.at++
	}
}

// closerOf returns the bracket that closes one.
func closerOf(c byte) byte {
	if c == '(' {
		return ')'
	}
	return c + 2
}

// skipToken skips a token of an expression.
func (t *tokens) skipToken(c byte) {
	switch c {
	case '{', '[', '(':
		t.closers = append(t.closers, closerOf(c))
	case '"':
		t.closers = append(t.closers, '"')
	case '<':
		if t.skipHeredoc() {
			return
		}
	case '#', '/':
		if t.skipComment() {
			return
		}
	}
	t.at++
}

// maxSearches is the number of heredocs without an end in a text. Each is searched to the
// end of the text.
const maxSearches = 8

// skipHeredoc skips a heredoc at the offset, <<EOF or <<-EOF, up to its mark. The
// end of the last line is left.
func (t *tokens) skipHeredoc() bool {
	text, ok := bytes.CutPrefix(t.b[t.at:], []byte("<<"))
	if !ok || t.searches >= maxSearches {
		return false
	}
	text = bytes.TrimPrefix(text, []byte("-"))
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	mark, rest := text[:n], text[n:]
	if n == 0 || len(rest) == 0 || rest[0] != '\n' && rest[0] != '\r' {
		return false
	}
	for at := len(t.b) - len(rest); at < len(t.b); {
		for at < len(t.b) && (t.b[at] == '\n' || t.b[at] == '\r' || t.b[at] == ' ' || t.b[at] == '\t') {
			at++
		}
		end := len(t.b)
		if n := bytes.IndexAny(t.b[at:], "\r\n"); n >= 0 {
			end = at + n
		}
		if string(bytes.TrimRight(t.b[at:end], " \t")) == string(mark) {
			t.at = at + len(mark)
			return true
		}
		at = end
	}
	t.searches++
	t.unclosed = true
	return false
}
