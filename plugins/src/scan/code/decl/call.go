package decl

import (
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// readCall reads a call whose first string is the name of a definition: test('adds', () => {,
// it "adds" do.
func (p *Parser) readCall(t []token) Head {
	if len(t) < 2 || t[0].c != word {
		return Head{}
	}
	m := p.look(t[0])
	if m.Role != language.Describes {
		return Head{}
	}
	if p.v.Indented && m.Kind == language.Namespace && t[1].c == word { // describe A do
		return Head{Kind: language.Namespace, Name: spanOf(t[1].at, t[1].end)}
	}
	for _, k := range t[1:] {
		switch k.c {
		case '"':
			return Head{Kind: m.Kind, Name: quotedName(k.at, k.end), Sentence: true}
		case '(':
			at := k.at + 1
			for at < k.end && lex.IsSpace(p.b[at]) {
				at++
			}
			if at < k.end && Quotes.Has(p.b[at]) {
				return Head{Kind: m.Kind, Name: quotedName(at, int32(SkipQuote(p.b, int(at), int(k.end)))), Sentence: true}
			}
		case word, '.': // test.each(table)('adds %d', ...)
		default:
			return Head{}
		}
	}
	return Head{}
}

// quotedName returns the text in the quotes at and before two offsets, empty if there is none
// or the string is not closed.
func quotedName(at, end int32) Span {
	if end-at < 3 {
		return Span{}
	}
	return spanOf(at+1, end-1)
}
