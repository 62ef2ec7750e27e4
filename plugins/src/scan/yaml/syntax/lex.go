package syntax

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// class holds the possible meanings of a byte in a key or a plain scalar.
var class = buildClasses()

const (
	ending    uint8 = 1 << iota // may end a key or a plain scalar
	blank                       // separates words
	unlikely                    // frequent in code, rare in keys
	indicator                   // cannot begin a plain scalar
	ambiguous                   // makes the line of a key ambiguous; see isStructural
	simple                      // may begin a plain scalar and has no other meaning
)

func buildClasses() (c [256]uint8) {
	for chars, is := range map[string]uint8{
		"\n:#": ending, " ": blank, "(=;<": unlikely, "{}[],-&!*?|>%@`": indicator, "#:\"\\\r": ambiguous,
	} {
		for i := range len(chars) {
			c[chars[i]] |= is
		}
	}
	c['\''] |= ambiguous // ends a key in single quotes
	for i := range ' ' {
		c[i] |= ambiguous
	}
	for b := range c {
		if b := byte(b); b|0x20 >= 'a' && b|0x20 <= 'z' || b-'0' <= 9 || b == '_' || b == '/' || b == '.' || b == '$' {
			c[b] |= simple
		}
	}
	return c
}

// skipSpaces returns the first offset from p on that is not a space.
func skipSpaces(b []byte, p int) int {
	for p < len(b) && b[p] == ' ' {
		p++
	}
	return p
}

// skipBlanks returns the first offset from p on that is neither a space nor a tab.
func skipBlanks(b []byte, p int) int {
	for p < len(b) && (b[p] == ' ' || b[p] == '\t') {
		p++
	}
	return p
}

// isEOL reports whether a line ends at p.
func isEOL(b []byte, p int) bool {
	return p == len(b) || b[p] == '\n' || b[p] == '\r' && (p+1 == len(b) || b[p+1] == '\n')
}

// isBlank reports whether the rest of the line from p on is white space.
func isBlank(b []byte, p int) bool { return isEOL(b, skipBlanks(b, p)) }

// isSeparated reports whether there is a blank or a line end at p.
func isSeparated(b []byte, p int) bool {
	return p == len(b) || b[p] == ' ' || b[p] == '\n' || b[p] == '\t' || b[p] == '\r' && isEOL(b, p)
}

// isEnd reports whether the line has no content from p on, which follows a blank:
// at most a comment.
func isEnd(b []byte, p int) bool { return isEOL(b, p) || b[p] == '#' }

// IsMark reports whether b begins with a document mark: --- or ..., followed by a
// blank or a line end.
func IsMark(b []byte) bool {
	return len(b) > 2 && b[1] == b[0] && b[2] == b[0] && (b[0] == '-' || b[0] == '.') && isSeparated(b, 3)
}

// isStructural reports whether the line b[i:end] consists of dashes and at most one
// key, so that it may lie between parts. A key with characters that have a meaning
// in YAML could be read in two ways and is not structural.
func isStructural(b []byte, i, end int) bool {
	for end > i && b[end-1] <= ' ' {
		end--
	}
	for i < end && (b[i] == ' ' || b[i] == '\t' || b[i] == '-' && (i+1 == end || b[i+1] == ' ')) {
		i++
	}
	if i == end {
		return true
	}
	if end--; i == end || b[end] != ':' {
		return false
	}
	return isUnambiguous(b[i:end])
}

// isUnambiguous reports whether a key, with its quotes, can be read in one way only.
func isUnambiguous(key []byte) bool {
	q := key[0]
	isQuoted := q == '"' || q == '\''
	if isQuoted {
		if len(key) < 2 || key[len(key)-1] != q {
			return false
		}
		key = key[1 : len(key)-1]
	} else if r, _ := utf8.DecodeRune(key); class[q]&indicator != 0 || unicode.IsSpace(r) {
		return false
	}
	for _, c := range key {
		if class[c]&ambiguous != 0 && (!isQuoted || c == q || c == '\\' || c < ' ') {
			return false
		}
	}
	return true
}

// skipProperties skips anchors and tags and the blanks after them.
func skipProperties(b []byte, p int) int {
	for p < len(b) && (b[p] == '&' || b[p] == '!') {
		for !isSeparated(b, p) {
			p++
		}
		p = skipBlanks(b, p)
	}
	return p
}

// plainEnd returns the end of the plain text at p on its line. colon reports whether
// the text contains something like a key.
func plainEnd(b []byte, p int) (end int, colon bool) {
	for i := p; i < len(b); i++ {
		if class[b[i]]&ending == 0 {
			continue
		}
		switch c := b[i]; {
		case c == '\n':
			return i, colon
		case c == '#' && i > p && (b[i-1] == ' ' || b[i-1] == '\t'):
			return i, colon
		case c == ':' && i > p && isSeparated(b, i+1):
			colon = true
		}
	}
	return len(b), colon
}

// blockHeaderEnd returns the end of the line that begins a block scalar at p, -1 if
// there is none.
func blockHeaderEnd(b []byte, p int) int {
	p++
	for p < len(b) && (b[p] == '+' || b[p] == '-' || b[p]-'1' <= 8) {
		p++
	}
	if !isSeparated(b, p) || !isEnd(b, skipBlanks(b, p)) {
		return -1
	}
	return lines.End(b, p)
}

// blockEnd returns the end of the block scalar whose lines begin at p: those that
// are blank or indented deeper than column col. Lines of a template between such lines belong to it too.
func blockEnd(b []byte, p int, col int32) int {
	end, isOpen := p, false // isOpen: after lines of a template that may be the last of the scalar
	for p < len(b) {
		text := skipSpaces(b, p)
		if text-p <= int(col) && !isBlank(b, text) || col < 0 && text == p && IsMark(b[text:]) {
			if !isFilled(b, text) {
				break
			}
			isOpen = true
		}
		isOpen = isOpen && (text-p <= int(col) || isBlank(b, text) || isFilled(b, text))
		if p = lines.End(b, text); !isOpen {
			end = p
		}
	}
	return end
}

// trimEnd returns the end of b[start:end] without blanks at its end.
func trimEnd(b []byte, start, end int) int {
	for end > start && (b[end-1] == ' ' || b[end-1] == '\t') {
		end--
	}
	return end
}

// lexer reads tokens and values that may span lines.
type lexer struct {
	b        []byte
	unclosed bool // a quote or bracket without an end was found
}

// searchLimit returns how far to look for the end of a value that begins at p. After
// the first value without an end it is the line, so that the time stays linear.
func (l *lexer) searchLimit(p int) int {
	if l.unclosed {
		return lines.End(l.b, p)
	}
	return len(l.b)
}

// quotedEnd returns the end of the quoted scalar at p, -1 if it does not end.
func (l *lexer) quotedEnd(p int) int {
	q, b := l.b[p], l.b[:l.searchLimit(p)]
	for i := p + 1; ; {
		n := bytes.IndexByte(b[i:], q)
		if n < 0 {
			l.unclosed = true
			return -1
		}
		i += n + 1
		if q == '\'' {
			if i == len(b) || b[i] != q {
				return i
			}
			i++
			continue
		}
		slashes := i - 2
		for b[slashes] == '\\' {
			slashes--
		}
		if (i-slashes)%2 == 0 {
			return i
		}
	}
}

// flowEnd returns the end of the flow collection at p, -1 if it does not end.
func (l *lexer) flowEnd(p int) int {
	b, depth, limit := l.b, 0, l.searchLimit(p)
	for i := p; i < limit; i++ {
		switch b[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			if !canPrecedeQuote(b[i-1]) {
				continue // inside a word
			}
			end := l.quotedEnd(i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '#':
			if b[i-1] == ' ' || b[i-1] == '\t' || b[i-1] == '\n' {
				i = lines.End(b, i) - 1
			}
		}
	}
	l.unclosed = true
	return -1
}

// canPrecedeQuote reports whether a quote after c begins a scalar.
func canPrecedeQuote(c byte) bool {
	return bytes.IndexByte([]byte(" \t\r\n,[{:"), c) >= 0
}
