package code

import (
	"bytes"
	"unicode/utf8"
)

// marked reads what may be a comment or a string.
func (x *lexer) marked() {
	switch may := x.v.may[x.b[x.at]]; {
	case may&mayNote != 0 && x.comment():
	case may&mayForm != 0 && x.special():
	case may&mayQuote != 0 && x.str():
	default:
		x.plain()
	}
}

// plain takes a byte for code.
func (x *lexer) plain() {
	x.code()
	x.at++
}

// commented reports whether a comment begins at an offset.
func (x *lexer) commented(at int) bool {
	if x.v.may[x.b[at]]&mayNote == 0 {
		return false
	}
	for _, open := range x.v.comment {
		if begins(x.b, at, open) {
			return open != "#" || x.hash(at)
		}
	}
	return x.v.block[0] != "" && begins(x.b, at, x.v.block[0])
}

// begins is bytes.HasPrefix(b[at:], mark) for marks of mostly one or two bytes: those
// are not worth two calls.
func begins(b []byte, at int, mark string) bool {
	end := at + len(mark)
	return end <= len(b) && b[at] == mark[0] && b[end-1] == mark[len(mark)-1] && (len(mark) <= 2 || string(b[at:end]) == mark)
}

// hash reports whether # begins a comment: it is no part of a word, and in PHP no
// attribute.
func (x *lexer) hash(at int) bool {
	if at > 0 && x.b[at-1] > ' ' && x.b[at-1] != ';' && x.v.syntax&hashes == 0 {
		return false
	}
	return x.v.layout || at+1 == len(x.b) || x.b[at+1] != '['
}

// comment reads a comment.
func (x *lexer) comment() bool {
	if !x.commented(x.at) {
		return false
	}
	if x.cur.code >= 0 {
		x.endCode(x.at)
	}
	if x.note < 0 {
		x.note = x.at
	}
	x.skipComment()
	x.after = x.at
	return true
}

func (x *lexer) skipComment() {
	if open := x.v.block[0]; open != "" && begins(x.b, x.at, open) {
		x.blockComment(open, x.v.block[1])
		return
	}
	if x.v.syntax&longs != 0 && x.at+2 < len(x.b) && x.b[x.at+2] == '[' {
		if end := x.long(x.at + 2); end > 0 {
			x.at = end
			return
		}
	}
	x.at = x.lineEnd()
}

// lineEnd is the offset of the next line end.
func (x *lexer) lineEnd() int {
	return indexByte(x.b, x.at, '\n')
}

func (x *lexer) blockComment(open, close string) {
	x.at += len(open)
	for n := 1; n > 0; {
		end := after(x.b, x.at, close)
		if end < 0 {
			x.at = len(x.b)
			return
		}
		if x.v.nests {
			n += bytes.Count(x.b[x.at:end-len(close)], []byte(open))
		}
		n--
		x.at = end
	}
}

// str reads a string, if one begins here and ends.
func (x *lexer) str() bool {
	for i := range x.v.quotes {
		q := &x.v.quotes[i]
		if !begins(x.b, x.at, q.open) {
			continue
		}
		if x.at < x.closed[i] {
			return false
		}
		end, stop := x.strEnd(q, &x.v.ends[i])
		if end < 0 {
			x.closed[i] = stop
			return false
		}
		x.code()
		x.at = end
		return true
	}
	return false
}

// strEnd is the offset after a string, or -1 and the offset up to which it has no
// end.
func (x *lexer) strEnd(q *quote, ends *stops) (end, stop int) {
	b, first := x.b, q.close[0]
	for at := ends.next(b, x.at+len(q.open)); at < len(b); at = ends.next(b, at+1) {
		switch c := b[at]; {
		case c == first && begins(b, at, q.close):
			return at + len(q.close), 0
		case c == q.escape && c != 0:
			at++
		case c == '\n' && !q.lines:
			return -1, at
		}
	}
	return -1, len(b)
}

// beforeRaw are the bytes before the quote of a raw string.
var beforeRaw = stopsAt("Rr#@$")

// special reads what few languages have.
func (x *lexer) special() bool {
	s, b := x.v.syntax, x.b
	switch c := b[x.at]; c {
	case '`':
		if s&templates != 0 {
			x.code()
			x.at++
			x.template()
			return true
		}
	case '\'':
		return s&characters != 0 && x.character()
	case '"':
		return x.at > 0 && beforeRaw.has(b[x.at-1]) && x.raw()
	case '/':
		return s&regexes != 0 && x.operand() && x.regex()
	case '<':
		return s&heredocs != 0 && x.heredocMark()
	case '$':
		return s&dollars != 0 && x.dollar()
	case '[':
		if s&longs != 0 {
			if end := x.long(x.at); end > 0 {
				x.code()
				x.at = end
				return true
			}
		}
	}
	return false
}

// template reads the text of a template up to its end or a ${.
func (x *lexer) template() {
	for ; x.at < len(x.b); x.at++ {
		switch x.b[x.at] {
		case '`':
			x.at++
			return
		case '\\':
			x.at++
		case '$':
			if x.at+1 < len(x.b) && x.b[x.at+1] == '{' {
				x.holes = append(x.holes, int32(x.depth))
				x.depth++
				x.at += 2
				return
			}
		}
	}
	x.at = min(x.at, len(x.b))
}

// character reads 'x' or '\x'. A ' without another one is something else, such as
// a lifetime or a separator of digits.
func (x *lexer) character() bool {
	x.code()
	b, at := x.b, x.at+1
	rest := b[at:min(len(b), at+12)]
	switch _, width := utf8.DecodeRune(rest); {
	case x.at > 0 && b[x.at-1]-'0' <= 9:
	case len(rest) > 2 && rest[0] == '\\':
		if end := bytes.IndexByte(rest[2:], '\''); end >= 0 {
			at += 2 + end + 1
		}
	case width > 0 && width < len(rest) && rest[width] == '\'' && rest[0] != '\n':
		at += width + 1
	}
	x.at = at
	return true
}

// operand reports whether an operand may stand here, so that / is no division.
func (x *lexer) operand() bool {
	at := x.at
	for at > 0 && (x.b[at-1] == ' ' || x.b[at-1] == '\t') {
		at--
	}
	if at == 0 || x.cur.code < 0 || at <= int(x.cur.start) {
		return true
	}
	if bytes.IndexByte([]byte("(,=:[!&|?{};+-*%~^<>"), x.b[at-1]) >= 0 {
		return !(x.b[at-1] == '<' && x.v.assign) // </div>
	}
	for _, word := range []string{"return", "typeof", "case", "in", "of", "when", "if", "and", "or", "split", "match"} {
		if bytes.HasSuffix(x.b[:at], []byte(word)) && (at == len(word) || !x.v.ident[x.b[at-len(word)-1]]) {
			return true
		}
	}
	return false
}

// regex reads /text/, which ends in its line.
func (x *lexer) regex() bool {
	const slot = len(x.closed) - 1
	if x.at < x.closed[slot] {
		return false
	}
	set := false
	for at := x.at + 1; ; at++ {
		if at >= len(x.b) || x.b[at] == '\n' {
			x.closed[slot] = at
			return false
		}
		switch c := x.b[at]; {
		case c == '\\':
			at++
		case c == '[':
			set = true
		case c == ']':
			set = false
		case c == '/' && !set:
			x.code()
			x.at = at + 1
			return true
		}
	}
}
