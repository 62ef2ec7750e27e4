package jsonscan

// Member is one child of a container. KeyStart and KeyEnd are both 0 in an array.
type Member struct {
	KeyStart, KeyEnd int32
	Start, End       int32
	Kind             Kind
}

// Members calls yield for the children of the container at the node's place,
// in order, until it answers false. The container must have been scanned:
// its text is not checked again.
//
// Those of a node that was split are known; those of a leaf are read anew.
func (s *Scanner) Members(i int32, yield func(Member) bool) {
	if !s.Split(i) {
		Each(s.b, s.Nodes[i], yield)
		return
	}
	for at := i + 1; at < s.Nodes[i].Next; at = s.Nodes[at].Next {
		n := &s.Nodes[at]
		if !yield(Member{n.KeyStart, n.KeyEnd, n.Start, n.End, n.Kind}) {
			return
		}
	}
}

// Each is Members for a container that was not split, in the text it is from.
func Each(b []byte, n Node, yield func(Member) bool) {
	end := int(n.End) - 1
	for p := Space(b, int(n.Start)+1); p < end; {
		var m Member
		if n.Kind == Object {
			key, _ := String(b, p)
			m.KeyStart, m.KeyEnd = int32(p), int32(key)
			p = solid(b, solid(b, key)+1)
		}
		m.Start = int32(p)
		p, m.Kind = skip(b, p)
		m.End = int32(p)
		if !yield(m) {
			return
		}
		p = solid(b, solid(b, p)+1) // past the comma, or the last bracket
	}
}

// skip returns the end and kind of the valid value at p.
func skip(b []byte, p int) (end int, kind Kind) {
	switch b[p] {
	case '"':
		end, _ = String(b, p)
		return end, Text
	case '{', '[':
		return skipContainer(b, p), bracketKind(b[p])
	}
	end, kind, _ = scalar(b, p)
	return end, kind
}

// skipContainer counts brackets outside strings.
func skipContainer(b []byte, p int) int {
	for depth := 0; p < len(b); {
		switch b[p] {
		case '"':
			p, _ = String(b, p)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if p++; depth == 0 {
			return p
		}
	}
	return p
}
