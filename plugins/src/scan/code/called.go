package code

// called reads a header without a word that says so: a name, parentheses, a body.
func (w *writer) called(t []tok) header {
	if len(t) < 3 && !w.v.layout || len(t) < 2 {
		return header{}
	}
	name, args := -1, -1
	for i := 0; i < len(t); i++ {
		switch t[i].c {
		case 'a':
			text := w.word(t[i])
			if m := w.v.look(text); (m.role == controls || m.role == continues) && !w.typeWord(text) {
				if string(text) == "template" {
					i = max(i, skipAngles(t, i+1)-1)
					continue
				}
				if name < 0 && i+1 < len(t) && t[i+1].c == '(' && !(w.v.assign && !blockWord(text)) || string(text) == "return" || string(text) == "else" || string(text) == "new" || string(text) == "throw" || string(text) == "import" || string(text) == "using" {
					return header{}
				}
			}
			if string(text) == "operator" {
				return w.operator(t, i)
			}
		case '(':
			if i > 0 && t[i-1].c == 'a' && name < 0 && w.b[t[i-1].at] != '@' && !w.aside(t, i) {
				name, args = i-1, i
			} else if name < 0 && i > 0 && t[i-1].c == '>' {
				name, args = w.beforeAngles(t, i-1), i
			} else if name < 0 && i > 1 && t[i-1].c == '?' && t[i-2].c == 'a' {
				name, args = i-2, i
			}
		case '<': // name<T = U>(
			if next := skipAngles(t, i); w.v.assign && name < 0 && i > 0 && t[i-1].c == 'a' && next > i && next < len(t) && t[next].c == '(' {
				i = next - 1
				continue
			}
		case '=':
			if name < 0 || w.v.syntax&directives == 0 && !w.arrow(t, i) {
				return header{}
			}
		case '.':
			if w.v.assign && (name < 0 || t[args+1].c != ':') { // a call, unless it stands in the type of the result
				return header{}
			}
		case ';', '?':
			if name >= 0 && t[i].c == ';' {
				return header{}
			}
		case '{':
			if w.v.layout && (i != 2 || t[1].c != '(' || t[1].end-t[1].at != 2) {
				return header{}
			}
			return w.body(t, name, args, i)
		}
	}
	if w.v.layout && len(t) >= 2 && name == 0 && t[1].end-t[1].at == 2 && len(t) == 2 {
		return header{kind: function, name: nameOf(t[0])}
	}
	if len(t) == maxTokens && name >= 0 && w.v.syntax&directives != 0 {
		return header{kind: function, name: w.qualified(t, name)}
	}
	return header{}
}

// blockWord reports the words behind which parentheses and a block may stand in a
// language where members of objects may have any name: delete(x) { is one.
func blockWord(text []byte) bool {
	switch string(text) {
	case "if", "for", "while", "switch", "catch", "with":
		return true
	}
	return false
}

// arrow reports => at t[i].
func (w *writer) arrow(t []tok, i int) bool {
	return i+1 < len(t) && t[i+1].c == '>' && t[i+1].at == t[i].end
}

// body judges a header whose body begins at t[i], its name and parentheses where
// name and args say.
func (w *writer) body(t []tok, name, args, i int) header {
	if name < 0 {
		if w.v.syntax&properties != 0 && i > 1 && t[i-1].c == 'a' && t[0].c == 'a' && w.v.look(w.word(t[0])).role == modifies {
			return header{kind: value, name: nameOf(t[i-1])}
		}
		return header{}
	}
	if m := w.v.look(w.word(t[name])); m.role == defines && m.kind == function {
		return header{}
	}
	if w.v.assign && (name > 0 && t[name-1].c != 'a' && t[name-1].c != '*' || w.callback(t, args, i)) {
		return header{}
	}
	return header{kind: function, name: w.qualified(t, name)}
}

// callback reports f(x, function () {: the brace is not right after the
// parentheses and a type.
func (w *writer) callback(t []tok, args, i int) bool {
	return i > args+1 && t[args+1].c != ':'
}

// typeWord reports words that begin statements but may be types as well.
func (w *writer) typeWord(text []byte) bool {
	switch string(text) {
	case "void", "int", "char", "long", "short", "float", "double", "bool", "auto", "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int64_t", "var", "constructor":
		return true
	}
	return false
}

// aside reports parentheses that are not those of the function: of an attribute,
// or of a macro with a name behind it.
func (w *writer) aside(t []tok, i int) bool {
	text := w.word(t[i-1])
	if string(text) == "__attribute__" || string(text) == "__declspec" || string(text) == "alignas" || string(text) == "noexcept" || string(text) == "decltype" {
		return true
	}
	return w.v.syntax&directives != 0 && i+2 < len(t) && t[i+1].c == 'a' && t[i+2].c == '('
}

// beforeAngles is the name before <...> that ends at t[i], or -1.
func (w *writer) beforeAngles(t []tok, i int) int {
	depth := 0
	for ; i > 0; i-- {
		switch t[i].c {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 && t[i-1].c == 'a' {
				return i - 1
			}
		}
	}
	return -1
}

// qualified is the name at t[i] with the A:: before it.
func (w *writer) qualified(t []tok, i int) span {
	first := i
	for first >= 3 && t[first-1].c == ':' && t[first-2].c == ':' && t[first-3].c == 'a' && t[first-1].end == t[first].at {
		first -= 3
	}
	return nameOf(tok{at: t[first].at, end: t[i].end})
}

// operator reads operator==(...) {.
func (w *writer) operator(t []tok, i int) header {
	last := t[len(t)-1].c
	for j := i + 1; j < len(t); j++ {
		if t[j].c == '(' && !(j == i+1 && j+1 < len(t) && t[j+1].c == '(') {
			if last != '{' {
				return header{}
			}
			return header{kind: function, name: nameOf(tok{at: w.qualified(t, i).at, end: t[j].at})}
		}
	}
	return header{}
}
