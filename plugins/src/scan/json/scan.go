package json

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
	if at = Space(s.b, at); at >= s.retry && at < s.fast && (s.b[at] == '{' || s.b[at] == '[') {
		if end, ok = s.leaf(at, s.topLimit(), span{}); ok { // as most records are
			return end, true
		}
	}
	end, ok = s.scan(at)
	if !ok {
		s.count = int(s.first)
	}
	return end, ok
}

// scan is the loop behind Scan: each turn reads one value, or the opening of one
// container, and what may stand behind it up to the next one. What is usual is read
// by rows instead.
func (s *Scanner) scan(p int) (end int, ok bool) {
	key, want, done := span{}, wantValue, false
	for {
		if s.direct() && p < s.fast {
			if key, p, want = s.rows(key, p); want == wantValue {
				p = Space(s.b, p)
			}
		}
		if want == wantValue {
			if p, want, ok = s.value(p, key); !ok {
				return p, false
			}
		}
		if key, p, done, ok = s.after(p, want); done || !ok {
			return p, ok
		}
		want = wantValue
	}
}

// value reads a scalar, or the opening of a container, and says what is wanted then.
func (s *Scanner) value(p int, key span) (next, want int, ok bool) {
	if p >= len(s.b) {
		return p, 0, false
	}
	start, kind := p, Text
	switch c := s.b[p]; c {
	case '{':
		s.enter(p, key, Object)
		return p + 1, wantFirstKey, true
	case '[':
		s.enter(p, key, Array)
		return p + 1, wantElement, true
	case '"':
		p, ok = String(s.b, p)
	default:
		p, kind, ok = scalar(s.b, p)
	}
	if ok && s.direct() {
		s.note(start, p, key, kind)
	}
	return p, wantNext, ok
}

// after reads what may stand where "want" is wanted, up to the next value: closing
// brackets, a comma, the key of a member. done says that the top value is complete.
func (s *Scanner) after(p, want int) (key span, next int, done, ok bool) {
	for {
		if want == wantNext && s.nest.depth == 0 {
			return span{}, p, true, true
		}
		if white(s.b, p) {
			p = Space(s.b, p)
		}
		if want == wantValue {
			return key, p, false, true
		}
		if p >= len(s.b) {
			return span{}, p, false, false
		}
		c, object := s.b[p], s.nest.object()
		switch {
		case c == '}' && object && (want == wantNext || want == wantFirstKey), c == ']' && !object && (want == wantNext || want == wantElement):
			p++
			s.leave(p)
			want = wantNext
		case want == wantElement:
			return span{}, p, false, true
		case c == ',' && want == wantNext:
			if p, want = p+1, wantValue; object {
				want = wantKey
			}
		case c == '"' && (want == wantKey || want == wantFirstKey):
			key.start = p
			if p, ok = String(s.b, p); !ok {
				return span{}, p, false, false
			}
			key.end, want = p, wantColon
		case c == ':' && want == wantColon:
			p, want = p+1, wantValue
		default:
			return span{}, p, false, false
		}
	}
}

func bracketKind(c byte) Kind {
	if c == '{' {
		return Object
	}
	return Array
}
