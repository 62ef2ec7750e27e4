package codescan

// header is how a statement begins.
type header struct {
	kind        kind
	name, owner span
}

// tok is a word, a bracket with all that is in it, or a byte.
type tok struct {
	at, end int32
	c       byte // 'a' for a word, else the first byte
}

// A header is judged by so many bytes and tokens.
const (
	maxHead   = 1200
	maxTokens = 32
)

// head reads the header of the statement in b[at:end].
func (w *writer) head(at, end int) header {
	var buf [maxTokens]tok
	t := w.tokens(buf[:0], at, min(end, at+maxHead))
	h := w.named(t)
	if h.kind == other && w.v.call {
		h = w.called(t)
	}
	if h.kind == other || h.kind == value {
		if a := w.assigned(t); a.kind != other && (h.kind == other || a.kind == function) {
			h = a
		}
	}
	if h.kind != other && h.name.n == 0 && h.kind != function {
		h.name = w.typedefName(t, end)
	}
	return h
}

// tokens appends the tokens up to the body of a statement.
func (w *writer) tokens(t []tok, at, end int) []tok {
	b, v := w.b, w.v
	for at < end && len(t) < maxTokens {
		c, start := b[at], at
		switch {
		case c <= ' ':
			at++
			continue
		case v.ident[c] || c == '@' || c == '#' && !v.layout:
			at += max(1, len(wordAt(v, b[:end], at)))
			c = 'a'
		case c == '(' || c == '[':
			at = skipBrackets(b, at, end)
		case c == '"' || c == '\'':
			at = skipQuote(b, at, end)
		case c == '/' && at+1 < end && (b[at+1] == '/' || b[at+1] == '*'):
			at = skipNote(b, at, end)
			continue
		default:
			at++
		}
		t = append(t, tok{int32(start), int32(at), c})
		if c == '{' || c == ';' {
			break
		}
	}
	return t
}

// skipBrackets is the offset after the bracket that closes the one at an offset.
func skipBrackets(b []byte, at, end int) int {
	depth := 0
	for ; at < end; at++ {
		switch b[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return at + 1
			}
		case '"':
			at = skipQuote(b, at, end) - 1
		}
	}
	return end
}

func skipQuote(b []byte, at, end int) int {
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

func skipNote(b []byte, at, end int) int {
	line := b[at+1] == '/'
	for at += 2; at < end; at++ {
		if line && b[at] == '\n' || !line && b[at] == '/' && b[at-1] == '*' {
			return at + 1
		}
	}
	return end
}

func (w *writer) word(t tok) []byte { return w.b[t.at:t.end] }

// nameOf is the span of a token, cut to what a name may be.
func nameOf(t tok) span { return span{t.at, int16(min(t.end-t.at, 400))} }

// skipAngles is the position after <...> at t[i], or i.
func skipAngles(t []tok, i int) int {
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

// named reads a header in which a word says what is defined.
func (w *writer) named(t []tok) header {
	for i := 0; i < len(t); i++ {
		switch t[i].c {
		case 'a':
		case '[', '#', '!', '*': // attributes
			continue
		case '(': // pub(crate), @Annotation(...)
			if i > 0 && t[i-1].c == 'a' && (w.b[t[i-1].at] == '@' || w.v.look(w.word(t[i-1])).role == modifies) {
				continue
			}
			return header{}
		case '"': // extern "C"
			continue
		default:
			return header{}
		}
		text := w.word(t[i])
		if string(text) == "template" {
			i = max(i, skipAngles(t, i+1)-1)
			continue
		}
		switch m := w.v.look(text); m.role {
		case defines:
			if h, ok := w.defined(t, i, m.kind); ok {
				return h
			}
			return header{}
		case modifies:
		default:
			if text[0] != '@' || len(text) == 1 {
				return header{}
			}
		}
	}
	return header{}
}

// defined reads what follows the word at t[i] that defines.
func (w *writer) defined(t []tok, i int, k kind) (header, bool) {
	h := header{kind: k}
	word := w.word(t[i])
	if w.v.name == "css" {
		h.name = span{t[i].at, int16(min(t[len(t)-1].at-t[i].at, 60))}
		return h, t[len(t)-1].c == '{'
	}
	for i++; i < len(t); i++ {
		switch c := t[i].c; {
		case c == '<':
			if next := skipAngles(t, i); next > i {
				i = next - 1
				continue
			}
			return h, false
		case c == '(' && w.v.syntax&receivers != 0 && h.owner.n == 0 && i+1 < len(t) && t[i+1].c == 'a':
			h.owner = w.receiver(t[i])
		case k == table && (c == '"' || c == '[' || c == '`'):
			if c != '`' {
				h.name = nameOf(tok{at: t[i].at + 1, end: t[i].end - 1})
				if i+1 == len(t) || t[i+1].c != '.' {
					return h, true
				}
				i++
			}
		case c == '*' || c == '!' || c == '[' || c == '"' && k == space:
		case c == 'a':
			text := w.word(t[i])
			if m := w.v.look(text); (m.role == modifies || m.role == defines) && k != impl && (m.role == modifies || i+1 < len(t) && t[i+1].c == 'a') && string(text) != "get" && string(text) != "set" {
				if m.role == defines && m.kind > h.kind && k == function {
					h.kind = m.kind
				}
				continue
			}
			if k == impl {
				return w.implName(t, i, h)
			}
			h.name = nameOf(t[i])
			return w.settle(t, i, h)
		case c == '{' || c == '(' || c == ':' || c == ';' || c == '=':
			return h, k != function && k != value || c == '(' && !w.v.layout || string(word) == "init" || string(word) == "deinit"
		default:
			return h, false
		}
	}
	return h, k != function && (!w.v.layout || w.v.syntax&semiEnds != 0)
}

// settle judges a header by what follows its name.
func (w *writer) settle(t []tok, i int, h header) (header, bool) {
	last := t[len(t)-1].c
	switch {
	case w.v.syntax&receivers != 0 && h.kind == function:
		return h, i+1 < len(t) && (t[i+1].c == '(' || t[i+1].c == '[')
	case w.v.syntax&directives != 0:
		for j := i + 1; j < len(t) && t[j].c != ':' && t[j].c != '{'; j++ {
			if t[j].c == '=' || t[j].c == '*' || t[j].c == '(' && j > i+1 {
				return h, false // struct x y = {, struct x *f(
			}
		}
		if h.kind == space && last == ';' {
			return h, false
		}
		return h, last == '{' || h.kind == function
	case w.v.name == "python":
		return h, i+1 < len(t) && (t[i+1].c == '(' || t[i+1].c == ':' || t[i+1].c == '[')
	case w.v.name == "lua":
		return h, i+1 < len(t) && t[i+1].c == '('
	case w.v.name == "rust" && h.kind != function && h.kind != value, w.v.name == "protobuf" && h.kind != function:
		return h, last == '{' || last == ';' || last == '>'
	case w.v.call && w.v.semi && h.kind != function && h.kind != value:
		return h, last == '{' || last == ';'
	}
	return h, true
}

// receiver is the type in (x *Type[T]).
func (w *writer) receiver(t tok) span {
	at, end := t.at+1, t.end-1
	for i := at; i < end; i++ {
		if w.b[i] == '[' {
			end = i
		}
	}
	for end > at && !w.v.ident[w.b[end-1]] {
		end--
	}
	start := end
	for start > at && w.v.ident[w.b[start-1]] {
		start--
	}
	return nameOf(tok{at: start, end: end})
}

// implName is the text between impl<T> and where or {.
func (w *writer) implName(t []tok, i int, h header) (header, bool) {
	end := t[i].end
	for j := i + 1; j < len(t); j++ {
		if t[j].c == '{' || string(w.word(t[j])) == "where" {
			break
		}
		end = t[j].end
	}
	h.name = nameOf(tok{at: t[i].at, end: end})
	return h, true
}

// called reads a header without a word that says so: a name, parentheses, a body.
func (w *writer) called(t []tok) header {
	if len(t) < 3 && !w.v.layout || len(t) < 2 {
		return header{}
	}
	name := -1
	for i := 0; i < len(t); i++ {
		switch t[i].c {
		case 'a':
			text := w.word(t[i])
			if m := w.v.look(text); (m.role == controls || m.role == continues) && !w.typeWord(text) {
				if string(text) == "template" {
					i = max(i, skipAngles(t, i+1)-1)
					continue
				}
				if name < 0 && i+1 < len(t) && t[i+1].c == '(' || string(text) == "return" || string(text) == "else" || string(text) == "new" || string(text) == "throw" || string(text) == "import" || string(text) == "using" {
					return header{}
				}
			}
			if string(text) == "operator" {
				return w.operator(t, i)
			}
		case '(':
			if i > 0 && t[i-1].c == 'a' && name < 0 && w.b[t[i-1].at] != '@' && !w.aside(t, i) {
				name = i - 1
			} else if name < 0 && i > 0 && t[i-1].c == '>' {
				name = w.beforeAngles(t, i-1)
			}
		case '=':
			if name < 0 || w.v.syntax&directives == 0 && !w.arrow(t, i) {
				return header{}
			}
		case '.':
			if w.v.assign {
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
			return w.body(t, name, i)
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

// arrow reports => at t[i].
func (w *writer) arrow(t []tok, i int) bool {
	return i+1 < len(t) && t[i+1].c == '>' && t[i+1].at == t[i].end
}

// body judges a header whose body begins at t[i].
func (w *writer) body(t []tok, name, i int) header {
	if name < 0 {
		if w.v.name == "c#" && i > 1 && t[i-1].c == 'a' && t[0].c == 'a' && w.v.look(w.word(t[0])).role == modifies {
			return header{kind: value, name: nameOf(t[i-1])}
		}
		return header{}
	}
	if w.v.name == "javascript" && (name > 0 && t[name-1].c != 'a' && t[name-1].c != '*' || w.callback(t, name, i)) {
		return header{}
	}
	return header{kind: function, name: w.qualified(t, name)}
}

// callback reports f(x, function () {: the brace is not right after the
// parentheses and a type.
func (w *writer) callback(t []tok, name, i int) bool {
	return i > name+2 && t[name+2].c != ':'
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

// assigned reads "name = value" and "name: value".
func (w *writer) assigned(t []tok) header {
	name := -1
	for i := 0; i < len(t); i++ {
		switch t[i].c {
		case 'a':
			text := w.word(t[i])
			if m := w.v.look(text); m.role == controls || m.role == continues {
				return header{}
			}
			name = i
		case '"':
			name = i
		case '=', ':':
			if name < 0 || t[i].c == ':' && (!w.v.assign || i != 1) {
				if t[i].c == ':' {
					continue
				}
				return header{}
			}
			h := header{kind: value, name: w.dotted(t, name)}
			if w.v.assign && w.isFunction(t[i+1:]) {
				h.kind = function
			}
			return h
		case '(', '{', ';':
			if name < 0 || t[i].c != '(' {
				return header{}
			}
			return header{}
		}
	}
	return header{}
}

// dotted is the name at t[i] with the a.b. before it.
func (w *writer) dotted(t []tok, i int) span {
	first := i
	for first >= 2 && t[first-1].c == '.' && t[first-2].c == 'a' {
		first -= 2
	}
	at, end := t[first].at, t[i].end
	if t[i].c == '"' && end-at > 2 {
		at, end = at+1, end-1
	}
	return nameOf(tok{at: at, end: end})
}

// isFunction reports whether a value is a function.
func (w *writer) isFunction(t []tok) bool {
	for i := range t {
		switch {
		case t[i].c == 'a' && string(w.word(t[i])) == "function":
			return i < 2
		case t[i].c == '=' && w.arrow(t, i):
			return i < 12
		case t[i].c == '{', t[i].c == '.', t[i].c == '"':
			return false
		}
	}
	return false
}

// typedefName is the last word of typedef struct {...} name;
func (w *writer) typedefName(t []tok, end int) span {
	if len(t) == 0 || string(w.word(t[0])) != "typedef" {
		return span{}
	}
	for end > 0 && (w.b[end-1] <= ' ' || w.b[end-1] == ';') {
		end--
	}
	start := end
	for start > int(t[0].end) && w.v.ident[w.b[start-1]] {
		start--
	}
	return nameOf(tok{at: int32(start), end: int32(end)})
}
