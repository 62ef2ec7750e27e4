package decl

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/lex"
)

// Read reads the head of the statement in b[at:end].
func (p *Parser) Read(at, end int) Head {
	var buf [maxTokens]token
	t := p.tokens(buf[:0], at, min(end, at+MaxHead))
	if p.v.Has(language.Forms) {
		if h := p.readForm(t); h.Kind != language.Other {
			return h
		}
	}
	h := p.readKeyword(t)
	if h.Kind == language.Other && p.v.DefineCalls != "" {
		h = p.readCall(t)
	}
	if h.Kind == language.Other && p.v.BareFunctions {
		h = p.readFunction(t)
	}
	if h.Kind == language.Other || h.Kind == language.Value {
		switch a := p.readAssignment(t); {
		case h.Kind == language.Other:
			h = a
		case a.Kind == language.Function:
			h.Kind = language.Function
		}
	}
	if h.Kind != language.Other && h.Name.N == 0 && h.Kind != language.Function {
		h.Name = p.typedefName(t, end)
	}
	return h
}

// ReadMacro reads #define NAME at an offset.
func (p *Parser) ReadMacro(at int) Head {
	text := p.b[at:lines.End(p.b, at)]
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(text[1:], " \t"), []byte("define"))
	if !ok || len(rest) == 0 || !lex.IsSpace(rest[0]) {
		return Head{}
	}
	start := at + len(text) - len(bytes.TrimLeft(rest, " \t"))
	end := start
	for end < len(p.b) && p.v.Ident[p.b[end]] {
		end++
	}
	return Head{Kind: language.Value, Name: spanOf(int32(start), int32(end))}
}
