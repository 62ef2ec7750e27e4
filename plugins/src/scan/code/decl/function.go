package decl

import "github.com/mcpctl/mcpctl/plugins/src/scan/code/language"

// signature is a function without a defining word: positions of its name and its
// parentheses, -1 until they are found.
type signature struct{ name, args int }

// readFunction reads a head without a defining word: a name, parentheses, a body.
func (p *Parser) readFunction(t []token) Head {
	if len(t) < 2 || len(t) < 3 && !p.v.Indented {
		return Head{}
	}
	s := signature{-1, -1}
	for i := 0; i < len(t); i++ {
		switch t[i].c {
		case word:
			switch text := p.text(t[i]); {
			case string(text) == "operator":
				return p.readOperator(t, i)
			case !p.beginsStatement(text):
			case string(text) == "template":
				i = max(i, skipAngles(t, i+1)-1)
			case p.excludesFunction(t, i, s):
				return Head{}
			}
		case '(':
			if s.name < 0 {
				s = signature{p.nameBefore(t, i), i}
			}
		case '<':
			if s.name < 0 {
				i = p.skipTypeParameters(t, i)
			}
		case '=', '.', ';':
			if s.name >= 0 && i == s.args+1 && p.v.Has(language.Properties) && isArrow(t, i) { // F() => x
				return Head{Kind: language.Function, Name: qualifiedName(t, s.name)}
			}
			if p.endsSignature(t, i, s) {
				return Head{}
			}
		case '{':
			return p.readBody(t, i, s)
		}
	}
	return p.readBodiless(t, s)
}

// beginsStatement reports whether a word begins or continues a statement and is no type.
func (p *Parser) beginsStatement(text []byte) bool {
	m := p.v.Look(text)
	return (m.Role == language.Controls || m.Role == language.Continues) && !isTypeWord(text)
}

// excludesFunction reports whether the word at t[i], which begins a statement, shows that the
// head is none of a function. Where members may have any name, only some words do, as
// delete(x) { is one.
func (p *Parser) excludesFunction(t []token, i int, s signature) bool {
	switch string(p.text(t[i])) {
	case "return", "else", "new", "throw", "import", "using":
		return true
	case "if", "for", "while", "switch", "catch", "with":
	default:
		if p.v.AssignedFunctions {
			return false
		}
	}
	return s.name < 0 && i+1 < len(t) && t[i+1].c == '('
}

// isTypeWord reports whether a word that begins statements may be a type as well.
func isTypeWord(text []byte) bool {
	switch string(text) {
	case "void", "int", "char", "long", "short", "float", "double", "bool", "auto", "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int64_t", "var", "constructor":
		return true
	}
	return false
}

// nameBefore returns the position of the name whose parentheses are at t[i], or -1.
func (p *Parser) nameBefore(t []token, i int) int {
	if i == 0 {
		return -1
	}
	switch t[i-1].c {
	case word:
		if p.b[t[i-1].at] != '@' && !p.isAttribute(t, i) {
			return i - 1
		}
	case '>':
		return nameBeforeAngles(t, i-1)
	case '?':
		if i > 1 && t[i-2].c == word {
			return i - 2
		}
	}
	return -1
}

// nameBeforeAngles returns the position of the name before the <...> that ends at t[i], or -1.
func nameBeforeAngles(t []token, i int) int {
	depth := 0
	for ; i > 0; i-- {
		switch t[i].c {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 && t[i-1].c == word {
				return i - 1
			}
		}
	}
	return -1
}

// skipTypeParameters returns the position of the last token of name<T = U> at t[i], if
// parentheses follow; otherwise i.
func (p *Parser) skipTypeParameters(t []token, i int) int {
	next := skipAngles(t, i)
	if p.v.AssignedFunctions && i > 0 && t[i-1].c == word && next > i && next < len(t) && t[next].c == '(' {
		return next - 1
	}
	return i
}

// endsSignature reports whether the byte at t[i] shows that the head is none of a function. A
// dot may be in the type of the result.
func (p *Parser) endsSignature(t []token, i int, s signature) bool {
	switch t[i].c {
	case '=':
		return s.name < 0 || !p.v.Has(language.Directives) && !isArrow(t, i)
	case '.':
		return p.v.AssignedFunctions && (s.name < 0 || t[s.args+1].c != ':')
	}
	return s.name >= 0
}

// readBody judges a head whose body begins at t[i].
func (p *Parser) readBody(t []token, i int, s signature) Head {
	switch {
	case p.v.Indented && (i != 2 || !isEmptyParens(t[1])):
		return Head{}
	case s.name < 0:
		first := 0
		for t[first].c == '[' { // attributes
			first++
		}
		if p.v.Has(language.Properties) && i > first+1 && t[i-1].c == word && t[first].c == word && p.look(t[first]).Role == language.Modifies {
			return Head{Kind: language.Value, Name: spanOf(t[i-1].at, t[i-1].end)}
		}
		return Head{}
	}
	if m := p.look(t[s.name]); m.Role == language.Defines && m.Kind == language.Function {
		return Head{}
	}
	if p.v.AssignedFunctions && (s.name > 0 && t[s.name-1].c != word && t[s.name-1].c != '*' || isCallback(t, i, s)) {
		return Head{}
	}
	return Head{Kind: language.Function, Name: qualifiedName(t, s.name)}
}

// readBodiless judges a head without a body: of a shell function with the brace on the next
// line, and a head that is too long to be read to its body.
func (p *Parser) readBodiless(t []token, s signature) Head {
	switch {
	case p.v.Indented && len(t) == 2 && s.name == 0 && t[1].end-t[1].at == 2:
		return Head{Kind: language.Function, Name: spanOf(t[0].at, t[0].end)}
	case p.v.Has(language.Directives) && len(t) == maxTokens && s.name >= 0:
		return Head{Kind: language.Function, Name: qualifiedName(t, s.name)}
	}
	return Head{}
}

func isEmptyParens(t token) bool { return t.c == '(' && t.end-t.at == 2 }

// isCallback reports whether the brace at t[i] follows neither the parentheses nor a type:
// f(x, function () {.
func isCallback(t []token, i int, s signature) bool {
	return i > s.args+1 && t[s.args+1].c != ':'
}

// qualifiedName returns the name at t[i] with the A:: before it.
func qualifiedName(t []token, i int) Span { return spanOf(qualifiedStart(t, i), t[i].end) }

func qualifiedStart(t []token, i int) int32 {
	first := i
	for first >= 3 && t[first-1].c == ':' && t[first-2].c == ':' && t[first-3].c == word && t[first-1].end == t[first].at {
		first -= 3
	}
	return t[first].at
}

// readOperator reads operator==(...) {.
func (p *Parser) readOperator(t []token, i int) Head {
	for j := i + 1; j < len(t); j++ {
		if t[j].c != '(' || j == i+1 && j+1 < len(t) && t[j+1].c == '(' { // operator()()
			continue
		}
		if t[len(t)-1].c != '{' {
			return Head{}
		}
		return Head{Kind: language.Function, Name: spanOf(qualifiedStart(t, i), t[j].at)}
	}
	return Head{}
}
