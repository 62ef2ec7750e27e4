package code

import "strings"

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
			if i+1 < len(t) && t[i+1].c == '{' {
				return header{kind: space}
			}
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
			if w.v.assign && w.v.call && m.kind != function && i > 0 && i+1 < len(t) && t[i+1].c == '(' {
				return header{} // get type() {
			}
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
	word, start := w.word(t[i]), t[i].at
	if w.v.syntax&selectors != 0 {
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
				if i+1 == len(t) || w.b[t[i+1].at] != '.' {
					return h, true
				}
				i++
			}
		case c == '"' && k == space:
			h.name = nameOf(tok{at: t[i].at + 1, end: t[i].end - 1})
		case c == '*' || c == '!' || c == '[':
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
			if i+2 < len(t) && t[i+1].c == '(' && t[i+2].c == 'a' && w.aside(t, i+1) {
				i++ // struct __attribute__((packed)) name {
				continue
			}
			if i+1 < len(t) && t[i+1].c == 'a' && w.capitals(text) {
				continue // class EXPORTED name {
			}
			h.name, i = w.path(t, i)
			return w.settle(t, i, h)
		case c == '{' || c == '(' || c == ':' || c == ';' || c == '=':
			if s := string(word); s == "init" || s == "deinit" || s == "constructor" || s == "subscript" {
				h.name = nameOf(tok{at: start, end: start + int32(len(word))})
				return h, true
			}
			return h, k != function && k != value && t[len(t)-1].c == '{' // of a type without a name
		default:
			return h, false
		}
	}
	return h, false
}

// capitals reports a word that a preprocessor replaces.
func (w *writer) capitals(text []byte) bool {
	if w.v.syntax&directives == 0 || len(text) < 3 {
		return false
	}
	for _, c := range text {
		if c|0x20 >= 'a' && c|0x20 <= 'z' && c >= 'a' {
			return false
		}
	}
	return true
}

// path is the name at t[i] with what :: or . joins to it, and where its last word
// is: struct Table::Rep {, namespace A.B.C {.
func (w *writer) path(t []tok, i int) (span, int) {
	last := i
	for last+2 < len(t) {
		next := last + 2
		if t[last+1].c == ':' && t[last+2].c == ':' {
			next++
		} else if t[last+1].c != '.' {
			break
		}
		if next >= len(t) || t[next].c != 'a' || t[next].at != t[next-1].end {
			break
		}
		last = next
	}
	return nameOf(tok{at: t[i].at, end: t[last].end}), last
}

// settle judges a header by what follows its name.
func (w *writer) settle(t []tok, i int, h header) (header, bool) {
	switch {
	case h.kind == function, w.v.syntax&docstrings != 0:
		return h, w.v.after == "" || i+1 < len(t) && strings.IndexByte(w.v.after, t[i+1].c) >= 0
	case w.v.layout || h.kind == value || w.v.syntax&(receivers|bodiless) != 0:
		return h, true
	}
	return h, w.bodied(t, i, h.kind)
}

// bodied reports whether a type has a body, and is not that of a variable or a
// function.
func (w *writer) bodied(t []tok, i int, k kind) bool {
	last := t[len(t)-1].c
	if w.v.look(w.word(t[i])).role == controls && last != '{' {
		return false
	}
	if w.v.syntax&variables != 0 {
		for j := i + 1; j < len(t) && t[j].c != ':' && t[j].c != '{'; j++ {
			if t[j].c == '=' || t[j].c == '*' || t[j].c == '(' && j > i+1 {
				return false // struct x y = {, struct x *f(
			}
		}
		return last == '{'
	}
	next := skipAngles(t, i+1) // type A<B = C> = D
	return last == '{' || w.v.semi && last == ';' && k != space || len(t) == maxTokens || k == record && next < len(t) && t[next].c == '='
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
