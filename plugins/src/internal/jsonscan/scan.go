package jsonscan

// span is [start, end) in the text.
type span struct{ start, end int }

// Scan reads the value that begins at or after "at", white space skipped,
// notes its nodes and returns the offset after it.
//
// ok is false if there is no complete and valid value; nothing is noted then,
// and end is the offset of the first byte that cannot stand where it does.
func (s *Scanner) Scan(at int) (end int, ok bool) {
	s.first = int32(s.Len())
	s.nest.depth, s.open = 0, s.open[:0]
	end, ok = s.scan(Space(s.b, at))
	if !ok {
		s.count = int(s.first)
	}
	return end, ok
}

// scan is the loop behind Scan: each turn reads one scalar, or the opening of
// one container, and the brackets that close after it.
func (s *Scanner) scan(p int) (end int, ok bool) {
	var key span
	for {
		if p >= len(s.b) {
			return p, false
		}
		start, kind := p, Text
		switch c := s.b[p]; c {
		case '{', '[':
			if end, ok := s.shortcut(p, key); ok {
				p = end
				break
			}
			s.enter(p, key, bracketKind(c))
			if p++; white(s.b, p) {
				p = Space(s.b, p)
			}
			if p < len(s.b) && s.b[p] == c+2 { // the bracket that closes c
				break
			}
			if key, p, ok = s.member(p); !ok {
				return p, false
			}
			continue
		case '"':
			if p, ok = String(s.b, p); !ok {
				return p, false
			}
			if s.direct() {
				s.note(start, p, key, kind)
			}
		default:
			if p, kind, ok = scalar(s.b, p); !ok {
				return p, false
			}
			if s.direct() {
				s.note(start, p, key, kind)
			}
		}
		var done bool
		if key, p, done, ok = s.after(p); done || !ok {
			return p, ok
		}
	}
}

// after reads what may follow a value: closing brackets, then a comma and the
// key of the next member. done says that the top value is complete.
func (s *Scanner) after(p int) (key span, next int, done, ok bool) {
	for s.nest.depth > 0 {
		if white(s.b, p) {
			p = Space(s.b, p)
		}
		if p >= len(s.b) {
			return span{}, p, false, false
		}
		switch c := s.b[p]; {
		case c == ',':
			if p++; white(s.b, p) {
				p = Space(s.b, p)
			}
			key, p, ok = s.member(p)
			return key, p, false, ok
		case c == '}' && s.nest.object(), c == ']' && !s.nest.object():
			p++
			s.leave(p)
		default:
			return span{}, p, false, false
		}
	}
	return span{}, p, true, true
}

// member reads the key and colon of a member of the innermost container, if
// that is an object, and returns where the value begins.
func (s *Scanner) member(p int) (key span, value int, ok bool) {
	if !s.nest.object() {
		return span{}, p, true
	}
	if p >= len(s.b) || s.b[p] != '"' {
		return span{}, p, false
	}
	end, ok := String(s.b, p)
	if !ok {
		return span{}, end, false
	}
	value = end
	if white(s.b, value) {
		value = Space(s.b, value)
	}
	if value >= len(s.b) || s.b[value] != ':' {
		return span{}, value, false
	}
	if value++; white(s.b, value) {
		value = Space(s.b, value)
	}
	return span{p, end}, value, true
}

func bracketKind(c byte) Kind {
	if c == '{' {
		return Object
	}
	return Array
}
