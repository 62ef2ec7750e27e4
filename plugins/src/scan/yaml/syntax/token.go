package syntax

import "bytes"

// token is the beginning of a node.
type token struct {
	is         tokenKind
	start, end int   // of the text of a key
	after      int   // offset of the content after it
	seen       uint8 // classes of the bytes of a key
}

type tokenKind uint8

const (
	scalar  tokenKind = iota
	dash              // - item
	key               // key:
	complex           // ? key
	colon             // : value of a complex key
)

// readToken reads the token at p. It skips anchors and tags before a key.
func (l *lexer) readToken(p int) token {
	var is tokenKind
	switch l.b[p] {
	case '-':
		is = dash
	case '?':
		is = complex
	case ':':
		is = colon
	default:
		return l.readKey(skipProperties(l.b, p))
	}
	if !isSeparated(l.b, p+1) {
		return l.readKey(p)
	}
	return token{is: is, after: skipBlanks(l.b, p+1)}
}

// readKey reads a key at p. It returns a scalar if there is none.
func (l *lexer) readKey(p int) token {
	b := l.b
	if p >= len(b) {
		return token{}
	}
	switch b[p] {
	case '"', '\'':
		return l.readQuotedKey(p)
	case '[', ']', '{', '}', ',', '#', '|', '>', '@', '`', '\n':
		return token{}
	}
	seen := uint8(0)
	for i := p; i < len(b); i++ {
		f := class[b[i]]
		if seen |= f; f&ending == 0 {
			continue
		}
		switch c := b[i]; {
		case c == ':' && i > p && isSeparated(b, i+1):
			return token{is: key, start: p, end: trimEnd(b, p, i), after: skipBlanks(b, i+1), seen: seen}
		case c == '\n' || c == '#' && i > p && (b[i-1] == ' ' || b[i-1] == '\t'):
			return token{}
		}
	}
	return token{}
}

func (l *lexer) readQuotedKey(p int) token {
	b, end := l.b, l.quotedEnd(p)
	if end < 0 {
		return token{}
	}
	after := skipBlanks(b, end)
	if after == len(b) || b[after] != ':' || !isSeparated(b, after+1) || bytes.IndexByte(b[p:end], '\n') >= 0 {
		return token{}
	}
	return token{is: key, start: p, end: end, after: skipBlanks(b, after+1)}
}
