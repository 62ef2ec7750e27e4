package code

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
		case '<':
			if w.v.syntax&arrows == 0 || name < 0 || i+1 == len(t) || t[i+1].c != '-' {
				return header{}
			}
			return w.bound(t, name, i+2)
		case '(', '{', ';':
			if name < 0 || t[i].c != '(' {
				return header{}
			}
			return header{}
		}
	}
	return header{}
}

// bound is a name whose value begins at t[i].
func (w *writer) bound(t []tok, name, i int) header {
	h := header{kind: value, name: w.dotted(t, name)}
	if i < len(t) && t[i].c == 'a' && string(w.word(t[i])) == "function" {
		h.kind = function
	}
	return h
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
