package decl

import "github.com/mcpctl/mcpctl/plugins/src/scan/code/language"

// readAssignment reads "name = value", "name: value" and "name <- value".
func (p *Parser) readAssignment(t []token) Head {
	name := -1
	for i := range t {
		switch t[i].c {
		case word:
			if m := p.look(t[i]); m.Role == language.Controls || m.Role == language.Continues {
				return Head{}
			}
			name = i
		case '"':
			name = i
		case ':':
			if name >= 0 && p.v.AssignedFunctions && i == 1 {
				return p.readValue(t, name, i+1)
			}
		case '=':
			if name < 0 {
				return Head{}
			}
			return p.readValue(t, name, i+1)
		case '<':
			if !p.v.Has(language.ArrowAssignment) || name < 0 || i+1 == len(t) || t[i+1].c != '-' {
				return Head{}
			}
			h := Head{Kind: language.Value, Name: p.dottedName(t, name)}
			if isWordAt(t, i+2) && string(p.text(t[i+2])) == "function" {
				h.Kind = language.Function
			}
			return h
		case '(', '{', ';':
			return Head{}
		}
	}
	return Head{}
}

// readValue reads the value at t[i:] of the name at t[name].
func (p *Parser) readValue(t []token, name, i int) Head {
	h := Head{Kind: language.Value, Name: p.dottedName(t, name)}
	if p.v.AssignedFunctions && p.isFunctionValue(t[i:]) {
		h.Kind = language.Function
	}
	return h
}

// dottedName returns the name at t[i] with the a.b. before it.
func (p *Parser) dottedName(t []token, i int) Span {
	first := i
	for first >= 2 && t[first-1].c == '.' && t[first-2].c == word {
		first -= 2
	}
	at, end := t[first].at, t[i].end
	if t[i].c == '"' && end-at > 2 {
		at, end = at+1, end-1
	}
	return spanOf(at, end)
}

// isFunctionValue reports whether a value is a function.
func (p *Parser) isFunctionValue(t []token) bool {
	for i := range t {
		switch {
		case t[i].c == word && string(p.text(t[i])) == "function":
			return i < 2
		case t[i].c == '=' && isArrow(t, i):
			return i < 12
		case t[i].c == '{', t[i].c == '.', t[i].c == '"':
			return false
		}
	}
	return false
}
