// Package decl reads the head of a statement and reports what it defines.
//
// A head is the text of a statement up to its body. Languages define by a word (func f), by
// the form of the head (f() {), by an assignment (f = function) or by a call
// (test('adds', ...)); which of these apply is data of the language.
package decl

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/byteset"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// Head is the head of a statement.
type Head struct {
	Kind     language.Kind
	Sentence bool // the name is a sentence
	Name     Span // empty if there is none
	Owner    Span // type of a method
}

// Span is a short stretch of a text.
type Span struct {
	At int32
	N  int16
}

// Of returns the bytes of the span.
func (s Span) Of(b []byte) []byte { return b[s.At : s.At+int32(s.N)] }

// maxName is the largest size of a name.
const maxName = 400

// spanOf returns the span of [at, end), cut to maxName. It is empty if end is before at, as
// for the content of a quote that is not closed.
func spanOf(at, end int32) Span { return Span{at, int16(max(0, min(end-at, maxName)))} }

// Parser reads heads in a text.
type Parser struct {
	b []byte
	v *language.Vocabulary
}

// New returns a parser of a text.
func New(b []byte, v *language.Vocabulary) *Parser { return &Parser{b, v} }

// token is a word, a pair of brackets with its content, or a byte.
type token struct {
	at, end int32
	c       byte // word, else the first byte; " for a quote of any kind
}

// word is the c of a token that is a word.
const word = 'a'

// A head is read up to MaxHead bytes and maxTokens tokens.
const (
	MaxHead   = 1200
	maxTokens = 32
)

func (p *Parser) text(t token) []byte { return p.b[t.at:t.end] }

// inside returns the content of a quote or a pair of brackets.
func (t token) inside() Span { return spanOf(t.at+1, t.end-1) }

// look returns the meaning of the word of a token.
func (p *Parser) look(t token) language.Word { return p.v.Look(p.text(t)) }

// isWordAt reports whether there is a token at i and it is a word.
func isWordAt(t []token, i int) bool { return i < len(t) && t[i].c == word }

// tokens appends the tokens up to the body of a statement. It reads blanks and words itself,
// because in Wasm a call costs more than most of them.
func (p *Parser) tokens(t []token, at, end int) []token {
	b, v := p.b, p.v
	for at < end && len(t) < maxTokens {
		c := b[at]
		if c <= ' ' {
			if c == '\n' && v.Indented && !v.FoldCase {
				break
			}
			at++
			continue
		}
		if v.Ident[c] {
			next := v.WordEnd(b, at, end)
			t = append(t, token{int32(at), int32(next), word})
			at = next
			continue
		}
		k, next := p.token(at, end)
		if k.c != 0 {
			t = append(t, k)
		}
		if c == '{' || c == ';' {
			break
		}
		at = next
	}
	return t
}

// token returns the token at an offset and the offset after it. The token of a comment or a
// directive has no c.
func (p *Parser) token(at, end int) (t token, next int) {
	b, v := p.b, p.v
	c := b[at]
	next = at + 1
	switch {
	case c == '#' && v.Has(language.Directives):
		return token{}, lines.End(b, at)
	case c == '@' || c == '#' && !v.Indented:
		next, c = v.WordEnd(b, at, end), word
	case c == '(' || c == '[':
		next = SkipBrackets(b, at, end)
	case c == '"' || c == '\'' && !v.Has(language.Characters):
		next, c = SkipQuote(b, at, end), '"'
	case c == '/' && next < end && (b[next] == '/' || b[next] == '*'):
		return token{}, skipComment(b, at, end)
	case c == '`' && v.Has(language.BacktickNames):
		if next = SkipQuote(b, at, end); next > at+2 {
			return token{int32(at + 1), int32(next - 1), word}, next
		}
	}
	return token{int32(at), int32(next), c}, next
}

var inBrackets = byteset.Of(`([{)]}"`)

// SkipBrackets returns the offset after the bracket that closes the one at an offset.
func SkipBrackets(b []byte, at, end int) int {
	depth := 0
	for b = b[:end]; at < end; at = inBrackets.Next(b, at+1) {
		switch b[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return at + 1
			}
		case '"':
			at = SkipQuote(b, at, end) - 1
		}
	}
	return end
}

// Quotes are the bytes that begin a string in some language.
var Quotes = byteset.Of("\"'`")

// SkipQuote returns the offset after the string at an offset, or after its quote if it is
// not closed on its line.
func SkipQuote(b []byte, at, end int) int {
	for i := at + 1; i < end && b[i] != '\n'; i++ {
		switch b[i] {
		case '\\':
			i++
		case b[at]:
			return i + 1
		}
	}
	return at + 1
}

func skipComment(b []byte, at, end int) int {
	line := b[at+1] == '/'
	for at += 2; at < end; at++ {
		if line && b[at] == '\n' || !line && b[at] == '/' && b[at-1] == '*' {
			return at + 1
		}
	}
	return end
}

// skipAngles returns the position after <...> at t[i], or i.
func skipAngles(t []token, i int) int {
	if i >= len(t) || t[i].c != '<' {
		return i
	}
	depth := 0
	for j := i; j < len(t); j++ {
		switch t[j].c {
		case '<':
			depth++
		case '>':
			if j > 0 && t[j-1].c == '-' {
				continue
			}
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return i
}

// isArrow reports whether => is at t[i].
func isArrow(t []token, i int) bool {
	return i+1 < len(t) && t[i+1].c == '>' && t[i+1].at == t[i].end
}
