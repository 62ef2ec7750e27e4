package code

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// shaped reads a header of a language that tells definitions by their shape.
func (w *writer) shaped(t []tok) header {
	switch s := w.v.syntax & shapes; {
	case len(t) == 0:
		return header{}
	case s == equations:
		return w.equation(t)
	case s == blocks:
		return w.block(t)
	case s == targets:
		return w.target(t)
	}
	return w.stage(t)
}

// equation reads "name :: type", "name args = value", "(+) :: type" and "instance
// A B where".
func (w *writer) equation(t []tok) header {
	m := w.v.look(w.word(t[0]))
	switch {
	case m.role == defines && m.kind == impl:
		end := t[0].end
		for _, k := range t[1:] {
			if string(w.word(k)) == "where" {
				break
			}
			end = k.end
		}
		return header{kind: impl, name: w.trimmed(t[0].end, end)}
	case m.role == defines && m.kind == class:
		h := header{kind: class}
		for i, k := range t[1:] { // class (A a) => B a where
			if k.c == '>' && t[i].c == '=' {
				h.name = span{}
			} else if k.c == 'a' && h.name.n == 0 {
				h.name = nameOf(k)
			}
		}
		return h
	case m.role == defines:
		for _, k := range t[1:] { // type family A, newtype A
			if k.c == 'a' && w.b[k.at] >= 'A' && w.b[k.at] <= 'Z' {
				return header{kind: m.kind, name: nameOf(k)}
			}
		}
	case m.role == unknown && t[0].c == 'a':
		return header{kind: function, name: nameOf(t[0])}
	case t[0].c == '(' && len(t) > 1:
		return header{kind: function, name: w.trimmed(t[0].at+1, t[0].end-1)}
	}
	return header{}
}

// trimmed is the text between two offsets without the blanks round it.
func (w *writer) trimmed(at, end int32) span {
	for at < end && white(w.b[at]) {
		at++
	}
	for end > at && white(w.b[end-1]) {
		end--
	}
	return nameOf(tok{at: at, end: end})
}

// sameEquation reports whether a line begins with the name that the statement of
// another begins with.
func (w *writer) sameEquation(first, l *line) bool {
	name := func(l *line) []byte {
		if w.b[l.code] == '(' {
			return w.b[l.code:skipBrackets(w.b, int(l.code), min(len(w.b), int(l.code)+maxHead))]
		}
		return w.first(l)
	}
	return w.v.look(w.first(first)).role == unknown && bytes.Equal(name(first), name(l))
}

// block reads word "type" "name" {. Its name is all of that; what has a type is
// called by that alone, as its language does.
func (w *writer) block(t []tok) header {
	m := w.v.look(w.word(t[0]))
	if m.role != defines || t[len(t)-1].c != '{' {
		return header{}
	}
	first, last := 0, 0
	for i := 1; i < len(t)-1; i++ {
		if t[i].c != '"' {
			return header{}
		}
		last = i
	}
	if last == 2 && string(w.word(t[0])) == "resource" {
		first = 1
	}
	return header{kind: m.kind, name: nameOf(tok{at: t[first].at, end: t[last].end})}
}

// blockName appends the name of a block as other blocks refer to it: type.name.
func (w *writer) blockName(dst []byte, it *item) []byte {
	gap := false
	for _, c := range it.name.of(w.b) {
		switch {
		case c == '"' || white(c):
			gap = len(dst) > 0
			continue
		case gap:
			dst = append(dst, '.')
		}
		dst, gap = append(dst, c), false
	}
	return dst
}

// appendBlock appends what a block is to its name.
func (w *writer) appendBlock(dst []byte, it *item) []byte {
	if word := wordAt(w.v, w.b, int(it.code)); it.name.at > it.code {
		return append(append(append(dst, word...), ' '), w.blockName(nil, it)...)
	}
	return w.blockName(dst, it)
}

// target reads "name: what it is made of", of several names the first, and "name
// = value".
func (w *writer) target(t []tok) header {
	if t[0].c != 'a' || w.v.look(w.word(t[0])).role != unknown {
		return header{}
	}
	for i := 1; i < len(t); i++ {
		switch t[i].c {
		case ':':
			if i+1 < len(t) && (t[i+1].c == '=' || t[i+1].c == ':') {
				return header{kind: value, name: nameOf(t[0])}
			}
			return header{kind: function, name: nameOf(t[0])}
		case '=', '+', '?', '!':
			return header{kind: value, name: nameOf(t[0])}
		case 'a', '(':
		default:
			return header{}
		}
	}
	return header{}
}

// stage reads FROM image AS name.
func (w *writer) stage(t []tok) header {
	m := w.v.look(w.word(t[0]))
	if m.role != defines {
		return header{}
	}
	end := int32(lines.End(w.b, int(t[0].at)))
	for len(t) > 2 && t[len(t)-1].at >= end {
		t = t[:len(t)-1]
	}
	for i := len(t) - 2; i > 0; i-- {
		if word := w.word(t[i]); len(word) == 2 && word[0]|0x20 == 'a' && word[1]|0x20 == 's' {
			return header{kind: m.kind, name: nameOf(t[i+1])}
		}
	}
	return header{kind: m.kind, name: nameOf(t[len(t)-1])}
}
