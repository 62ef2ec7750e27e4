package decl

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// readKeyword reads a head with a word that defines.
func (p *Parser) readKeyword(t []token) Head {
	for i := 0; i < len(t); i++ {
		if t[i].c == '"' && i+1 < len(t) && t[i+1].c == '{' { // extern "C" {
			return Head{Kind: language.Namespace}
		}
		if t[i].c != word {
			if !p.mayPrecedeKeyword(t, i) {
				return Head{}
			}
			continue
		}
		text := p.text(t[i])
		if string(text) == "template" {
			i = max(i, skipAngles(t, i+1)-1)
			continue
		}
		switch m := p.v.Look(text); {
		case m.Role == language.Defines:
			return p.readDefinition(t, i, m.Kind)
		case m.Role == language.Modifies:
		case text[0] != '@' || len(text) == 1:
			return Head{}
		}
	}
	return Head{}
}

// mayPrecedeKeyword reports whether a token that is no word may precede the defining word:
// an attribute, pub(crate), @Annotation(...), extern "C".
func (p *Parser) mayPrecedeKeyword(t []token, i int) bool {
	switch t[i].c {
	case '[', '#', '!', '*', '"':
		return true
	case '(':
		return i > 0 && t[i-1].c == word && (p.b[t[i-1].at] == '@' || p.look(t[i-1]).Role == language.Modifies)
	}
	return false
}

// readDefinition reads the head whose defining word is t[i].
func (p *Parser) readDefinition(t []token, i int, k language.Kind) Head {
	if p.v.AssignedFunctions && p.v.BareFunctions && k != language.Function && i > 0 && i+1 < len(t) && t[i+1].c == '(' {
		return Head{} // get type() {
	}
	if string(p.text(t[i])) == "delegate" {
		return p.readDelegate(t, i, k)
	}
	h, ok := p.readName(t, i, k)
	if !ok {
		return Head{}
	}
	return h
}

// readDelegate reads delegate T name(...), whose name follows a type.
func (p *Parser) readDelegate(t []token, i int, k language.Kind) Head {
	for j := i + 1; j < len(t); j++ {
		if t[j].c == '(' {
			if n := p.nameBefore(t, j); n > i+1 {
				return Head{Kind: k, Name: spanOf(t[n].at, t[n].end)}
			}
		}
	}
	return Head{}
}

// readName reads the name that follows the defining word t[i]. It returns false if the head
// defines nothing.
func (p *Parser) readName(t []token, i int, k language.Kind) (Head, bool) {
	h := Head{Kind: k}
	if p.v.Has(language.Selectors) {
		return h, t[len(t)-1].c == '{'
	}
	defining := t[i]
	for i++; i < len(t); i++ {
		switch c := t[i].c; {
		case c == word:
			if k == language.Impl {
				h.Name = p.implName(t, i)
				return h, true
			}
			name, skip := p.classifyWord(t, i, k, &h)
			if name {
				h.Name, i = p.path(t, i)
				return h, p.isDefinition(t, i, h.Kind)
			}
			i += skip
		case c == '<':
			next := skipAngles(t, i)
			if next == i {
				return h, false
			}
			i = next - 1
		case c == '(' && p.v.Has(language.Receivers) && h.Owner.N == 0 && isWordAt(t, i+1):
			h.Owner = receiver(p.v, p.b, t[i])
		case k == language.Table && strings.IndexByte("\"[`", c) >= 0:
			if c == '`' {
				continue
			}
			h.Name = t[i].inside()
			if i++; i == len(t) || p.b[t[i].at] != '.' { // the last of [dbo].[name]
				return h, true
			}
		case c == '"' && k == language.Namespace:
			h.Name = t[i].inside()
		case strings.IndexByte("*![", c) >= 0:
		default:
			return p.readUnnamed(t, defining, c, h, k)
		}
	}
	return h, false
}

// classifyWord reports whether the word at t[i], which follows the defining word, is the name
// of the definition. If it is not, skip is the number of tokens to skip after it. A second
// defining word may change the kind of a function: func class.
func (p *Parser) classifyWord(t []token, i int, k language.Kind, h *Head) (name bool, skip int) {
	text := p.text(t[i])
	switch m := p.v.Look(text); {
	case string(text) == "get", string(text) == "set":
	case m.Role == language.Modifies:
		return false, 0
	case m.Role == language.Defines && isWordAt(t, i+1):
		if m.Kind > h.Kind && k == language.Function {
			h.Kind = m.Kind
		}
		return false, 0
	}
	switch {
	case i+1 < len(t) && t[i+1].c == '(' && isWordAt(t, i+2) && p.isAttribute(t, i+1):
		return false, 1 // struct __attribute__((packed)) name {
	case isWordAt(t, i+1) && p.v.Has(language.Directives) && isCapitals(text):
		return false, 0 // class EXPORTED name {
	}
	return true, 0
}

// readUnnamed judges a head of kind k that ends at a byte without a name. The defining word
// may be the name: init(x: Int) {.
func (p *Parser) readUnnamed(t []token, defining token, c byte, h Head, k language.Kind) (Head, bool) {
	if strings.IndexByte("{(:;=", c) < 0 {
		return h, false
	}
	switch string(p.text(defining)) {
	case "init", "deinit", "constructor", "subscript":
		h.Name = spanOf(defining.at, defining.end)
		return h, true
	}
	return h, k != language.Function && k != language.Value && t[len(t)-1].c == '{'
}

// isAttribute reports whether the parentheses at t[i] are not those of a function: they belong
// to an attribute, or to a macro that a name follows.
func (p *Parser) isAttribute(t []token, i int) bool {
	switch string(p.text(t[i-1])) {
	case "__attribute__", "__declspec", "alignas", "noexcept", "decltype":
		return true
	}
	return p.v.Has(language.Directives) && i+2 < len(t) && t[i+1].c == word && t[i+2].c == '('
}

// isCapitals reports whether a word is written like the name of a macro.
func isCapitals(text []byte) bool {
	if len(text) < 3 {
		return false
	}
	for _, c := range text {
		if c >= 'a' && c <= 'z' {
			return false
		}
	}
	return true
}

// path returns the name at t[i] with the words that :: or . joins to it, and the position of
// the last: struct Table::Rep {, namespace A.B.C {.
func (p *Parser) path(t []token, i int) (Span, int) {
	last := i
	for last+2 < len(t) {
		next := last + 2
		if t[last+1].c == ':' && t[last+2].c == ':' {
			next++
		} else if t[last+1].c != '.' {
			break
		}
		if next >= len(t) || t[next].c != word || t[next].at != t[next-1].end {
			break
		}
		last = next
	}
	if p.v.Has(language.BodilessTypes) {
		last = extended(p.b, t, last)
	}
	return spanOf(t[i].at, t[last].end), last
}

// extended returns the position of the .name after the type parameters of the type at t[i]: fun List<T>.a().
// If there is none, it returns i.
func extended(b []byte, t []token, i int) int {
	next := skipAngles(t, i+1)
	if next > i+1 && next < len(t) && t[next].c == '?' {
		next++
	}
	if next > i+1 && isWordAt(t, next) && b[t[next].at] == '.' {
		return next
	}
	return i
}

// isDefinition reports whether a head defines, from the tokens after its name at t[i].
func (p *Parser) isDefinition(t []token, i int, k language.Kind) bool {
	switch {
	case k == language.Function, p.v.Has(language.Docstrings):
		return p.v.AfterName == "" || i+1 < len(t) && strings.IndexByte(p.v.AfterName, t[i+1].c) >= 0
	case p.v.Indented || k == language.Value || p.v.Has(language.Receivers|language.BodilessTypes):
		return true
	}
	return p.hasBody(t, i, k)
}

// hasBody reports whether a type has a body, which is not that of a variable or a function.
func (p *Parser) hasBody(t []token, i int, k language.Kind) bool {
	last := t[len(t)-1].c
	if p.look(t[i]).Role == language.Controls && last != '{' {
		return false
	}
	if p.v.Has(language.TypedVariables) {
		for j := i + 1; j < len(t) && t[j].c != ':' && t[j].c != '{'; j++ {
			if t[j].c == '=' || t[j].c == '*' || t[j].c == '(' && j > i+1 {
				return false // struct x y = {, struct x *f(
			}
		}
		return last == '{'
	}
	next := skipAngles(t, i+1) // type A<B = C> = D
	return last == '{' || p.v.Semicolons && last == ';' && k != language.Namespace || len(t) == maxTokens ||
		k == language.Record && next < len(t) && t[next].c == '='
}

// receiver returns the type in (x *Type[T]).
func receiver(v *language.Vocabulary, b []byte, t token) Span {
	at, end := t.at+1, t.end-1
	for i := at; i < end; i++ {
		if b[i] == '[' {
			end = i
		}
	}
	for end > at && !v.Ident[b[end-1]] {
		end--
	}
	start := end
	for start > at && v.Ident[b[start-1]] {
		start--
	}
	return spanOf(start, end)
}

// implName returns the text between impl<T> and where or {.
func (p *Parser) implName(t []token, i int) Span {
	end := t[i].end
	for j := i + 1; j < len(t); j++ {
		if t[j].c == '{' || string(p.text(t[j])) == "where" {
			break
		}
		end = t[j].end
	}
	return spanOf(t[i].at, end)
}

// typedefName returns the last word of typedef struct {...} name;
func (p *Parser) typedefName(t []token, end int) Span {
	if len(t) == 0 || string(p.text(t[0])) != "typedef" {
		return Span{}
	}
	for end > 0 && (p.b[end-1] <= ' ' || p.b[end-1] == ';') {
		end--
	}
	start := end
	for start > int(t[0].end) && p.v.Ident[p.b[start-1]] {
		start--
	}
	return spanOf(int32(start), int32(end))
}
