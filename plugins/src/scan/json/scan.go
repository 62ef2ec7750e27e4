package json

// span is [start, end) in the text.
type span struct{ start, end int }

// Scan reads the value that begins at or after "at", white space skipped, adds its nodes
// and returns the offset after it.
//
// If there is no complete and valid value, ok is false, no nodes are added, and end is the
// offset of the first unexpected byte.
func (s *Scanner) Scan(at int) (end int, ok bool) {
	s.first = int32(s.Len())
	s.brackets.depth, s.open = 0, s.open[:0]
	if at = SkipSpace(s.b, at); at >= s.retry && at < s.fast && (s.b[at] == '{' || s.b[at] == '[') {
		if end, ok = s.readLeaf(at, s.topLimit(), span{}); ok { // most records are leaves
			return end, true
		}
	}
	end, ok = s.scan(at)
	if !ok {
		s.count = int(s.first)
	}
	return end, ok
}

// scan is the loop of Scan: each iteration reads one value, or the opening of a container, and
// the text after it up to the next value. Usual values are read by readValues instead.
func (s *Scanner) scan(p int) (end int, ok bool) {
	key, want, done := span{}, wantValue, false
	for {
		if s.isDirect() && p < s.fast {
			if key, p, want = s.readValues(key, p); want == wantValue {
				p = SkipSpace(s.b, p)
			}
		}
		if want == wantValue {
			if p, want, ok = s.readValue(p, key); !ok {
				return p, false
			}
		}
		if key, p, done, ok = s.readUntilValue(p, want); done || !ok {
			return p, ok
		}
		want = wantValue
	}
}

// readValue reads a scalar, or the opening of a container, and returns the token expected then.
func (s *Scanner) readValue(p int, key span) (next, want int, ok bool) {
	if p >= len(s.b) {
		return p, 0, false
	}
	start, kind := p, Text
	switch c := s.b[p]; c {
	case '{':
		s.openContainer(p, key, Object)
		return p + 1, wantFirstKey, true
	case '[':
		s.openContainer(p, key, Array)
		return p + 1, wantElement, true
	case '"':
		p, ok = ScanString(s.b, p)
	default:
		p, kind, ok = scanScalar(s.b, p)
	}
	if ok && s.isDirect() {
		s.addNode(start, p, key, kind)
	}
	return p, wantNext, ok
}

// readUntilValue reads the tokens before the next value: closing brackets, a comma, the key of
// a member. want is the token expected first. done reports that the top value is complete.
func (s *Scanner) readUntilValue(p, want int) (key span, next int, done, ok bool) {
	for {
		if want == wantNext && s.brackets.depth == 0 {
			return span{}, p, true, true
		}
		if mayBeSpace(s.b, p) {
			p = SkipSpace(s.b, p)
		}
		if want == wantValue {
			return key, p, false, true
		}
		if p >= len(s.b) {
			return span{}, p, false, false
		}
		c, object := s.b[p], s.brackets.isInObject()
		switch {
		case c == '}' && object && (want == wantNext || want == wantFirstKey), c == ']' && !object && (want == wantNext || want == wantElement):
			p++
			s.closeContainer(p)
			want = wantNext
		case want == wantElement:
			return span{}, p, false, true
		case c == ',' && want == wantNext:
			if p, want = p+1, wantValue; object {
				want = wantKey
			}
		case c == '"' && (want == wantKey || want == wantFirstKey):
			key.start = p
			if p, ok = ScanString(s.b, p); !ok {
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
