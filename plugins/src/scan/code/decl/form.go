package decl

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// readForm reads a head of a language whose definitions are recognized by their form.
func (p *Parser) readForm(t []token) Head {
	if len(t) == 0 {
		return Head{}
	}
	switch p.v.Syntax & language.Forms {
	case language.Equations:
		return p.readEquation(t)
	case language.LabelledBlocks:
		return p.readBlock(t)
	case language.Targets:
		return p.readTarget(t)
	}
	return p.readStage(t)
}

// readEquation reads "name :: type", "name args = value", "(+) :: type", and "instance A B
// where".
func (p *Parser) readEquation(t []token) Head {
	switch m := p.look(t[0]); {
	case m.Role == language.Defines && m.Kind == language.Impl:
		return Head{Kind: language.Impl, Name: p.instanceName(t)}
	case m.Role == language.Defines && m.Kind == language.Class:
		return Head{Kind: language.Class, Name: className(t)}
	case m.Role == language.Defines:
		for _, k := range t[1:] { // type family A, newtype A
			if k.c == word && p.b[k.at] >= 'A' && p.b[k.at] <= 'Z' {
				return Head{Kind: m.Kind, Name: spanOf(k.at, k.end)}
			}
		}
	case m.Role == language.Unknown && t[0].c == word:
		return Head{Kind: language.Function, Name: spanOf(t[0].at, t[0].end)}
	case t[0].c == '(' && len(t) > 1:
		return Head{Kind: language.Function, Name: p.trimmed(t[0].at+1, t[0].end-1)}
	}
	return Head{}
}

// instanceName returns the text between instance and where.
func (p *Parser) instanceName(t []token) Span {
	end := t[0].end
	for _, k := range t[1:] {
		if string(p.text(k)) == "where" {
			break
		}
		end = k.end
	}
	return p.trimmed(t[0].end, end)
}

// className returns the B of class (A a) => B a where.
func className(t []token) (name Span) {
	for i, k := range t[1:] {
		if k.c == '>' && t[i].c == '=' {
			name = Span{}
		} else if k.c == word && name.N == 0 {
			name = spanOf(k.at, k.end)
		}
	}
	return name
}

// trimmed returns the text between two offsets without the white space around it.
func (p *Parser) trimmed(at, end int32) Span {
	for at < end && lex.IsSpace(p.b[at]) {
		at++
	}
	for end > at && lex.IsSpace(p.b[end-1]) {
		end--
	}
	return spanOf(at, end)
}

// readBlock reads word "type" "name" {. All of these are the name, except that a resource is
// called by its type and name alone, as its language does.
func (p *Parser) readBlock(t []token) Head {
	m := p.look(t[0])
	if m.Role != language.Defines || t[len(t)-1].c != '{' {
		return Head{}
	}
	first, last := 0, 0
	for i := 1; i < len(t)-1; i++ {
		if t[i].c != '"' {
			return Head{}
		}
		last = i
	}
	if last == 2 && string(p.text(t[0])) == "resource" {
		first = 1
	}
	return Head{Kind: m.Kind, Name: spanOf(t[first].at, t[last].end)}
}

// readTarget reads "name: prerequisites", of several names the first, and "name = value".
func (p *Parser) readTarget(t []token) Head {
	if t[0].c != word || p.look(t[0]).Role != language.Unknown {
		return Head{}
	}
	h := Head{Kind: language.Value, Name: spanOf(t[0].at, t[0].end)}
	for i := 1; i < len(t); i++ {
		switch t[i].c {
		case ':':
			if i+1 == len(t) || t[i+1].c != '=' && t[i+1].c != ':' {
				h.Kind = language.Function
			}
			return h
		case '=', '+', '?', '!':
			return h
		case word, '(':
		default:
			return Head{}
		}
	}
	return Head{}
}

// readStage reads FROM image AS name.
func (p *Parser) readStage(t []token) Head {
	m := p.look(t[0])
	if m.Role != language.Defines {
		return Head{}
	}
	end := int32(lines.End(p.b, int(t[0].at)))
	for len(t) > 2 && t[len(t)-1].at >= end {
		t = t[:len(t)-1]
	}
	name := t[len(t)-1]
	for i := len(t) - 2; i > 0; i-- {
		if text := p.text(t[i]); len(text) == 2 && text[0]|0x20 == 'a' && text[1]|0x20 == 's' {
			name = t[i+1]
			break
		}
	}
	return Head{Kind: m.Kind, Name: spanOf(name.at, name.end)}
}
