package html

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// TokenKind is the kind of a Token.
type TokenKind uint8

// The kinds of tokens.
const (
	TextToken    TokenKind = iota
	StartTag               // of an element, with or without content
	EndTag                 // of an element
	RawToken               // the content of a script, style, title or text area
	CommentToken           // with its marks
	CDATAToken             // with its marks
	OtherToken             // an instruction, a declaration or a byte order mark
	FrontToken             // front matter of a template
)

// Token is a piece of a text. The tokens of a text join to it.
type Token struct {
	Kind       TokenKind
	Name       string // of a tag, or of the element of a RawToken, in lower case; empty if it is not known
	Start, End int
	Block      bool // the tag begins or ends a block, an item, a row or a cell

	nameEnd int
}

// Lexer iterates over the tokens of a text:
//
//	for l := NewLexer(b); l.Next(); {
//
// It accepts any text: a "<" that begins no markup is text.
type Lexer struct {
	Token
	b   []byte
	raw bool // the last token opens a raw element
}

// NewLexer returns a Lexer of the tokens of b.
func NewLexer(b []byte) *Lexer { return &Lexer{b: b} }

// Next reads the next token. It returns false at the end of the text.
func (l *Lexer) Next() bool {
	b, at := l.b, l.End
	if at == len(b) {
		return false
	}
	if l.raw {
		l.raw = false
		// The name of the open tag is before the content.
		if end := endTag(b, at, b[l.Start+1:l.nameEnd]); end > at {
			l.Token = Token{Kind: RawToken, Name: l.Name, Start: at, End: end}
			return true
		}
	}
	if mark := lines.Start(b); at < mark {
		l.Token = Token{Kind: OtherToken, End: mark}
		return true
	} else if at == mark {
		if end := frontMatterEnd(b, at); end > at {
			l.Token = Token{Kind: FrontToken, Start: at, End: end}
			return true
		}
	}
	if l.readMarkup(at) {
		return true
	}
	end := len(b)
	if n := lines.IndexByte(b[min(at+1, end):], '<'); n >= 0 {
		end = at + 1 + n
	}
	l.Token = Token{Kind: TextToken, Start: at, End: end}
	return true
}

// readMarkup reads the markup at b[at], if there is any.
func (l *Lexer) readMarkup(at int) bool {
	b := l.b
	if at+1 >= len(b) || b[at] != '<' {
		return false
	}
	switch c := b[at+1]; {
	case isLetter(c):
		l.readTag(StartTag, at, at+1)
	case c == '/' && at+2 < len(b) && isLetter(b[at+2]):
		l.readTag(EndTag, at, at+2)
	case c == '!' || c == '?' || c == '/':
		kind, end := OtherToken, declarationEnd(b, at)
		if bytes.HasPrefix(b[at:], []byte("<!--")) {
			kind = CommentToken
		} else if bytes.HasPrefix(b[at:], []byte("<![CDATA[")) {
			if kind, end = CDATAToken, bytes.Index(b[at:], []byte("]]>")); end >= 0 {
				end += at + len("]]>")
			}
		}
		if end < 0 {
			end = len(b)
		}
		l.Token = Token{Kind: kind, Start: at, End: end}
	default:
		return false
	}
	return true
}

// readTag reads the tag at b[at] with the name at b[name].
func (l *Lexer) readTag(kind TokenKind, at, name int) {
	end := nameEnd(l.b, name)
	k := key(l.b[name:end])
	info := infoOf(k)
	l.Token = Token{Kind: kind, Name: tagNames[k], Start: at, End: tagEnd(l.b, end), nameEnd: end,
		Block: info&(block|heading|item|holder|optional) != 0}
	l.raw = kind == StartTag && info&raw != 0
}

// Attribute returns the value of an attribute of the tag, nil if it has none. The value of
// an attribute without a value is empty.
func (l *Lexer) Attribute(want string) (found []byte) {
	if l.Kind != StartTag {
		return nil
	}
	attributes(l.b, l.nameEnd, l.End, func(name, value span) bool {
		if bytes.EqualFold(name.of(l.b), []byte(want)) {
			found = value.of(l.b)
		}
		return found == nil
	})
	return found
}

// tagNames holds the names of the known tags by their keys.
var tagNames = func() map[uint64]string {
	names := make(map[uint64]string)
	for _, list := range tagLists {
		for name := range bytes.FieldsSeq([]byte(list.names)) {
			names[key(name)] = string(name)
		}
	}
	return names
}()
