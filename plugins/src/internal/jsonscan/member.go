package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

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
			p = pastMark(b, key)
		}
		m.Start = int32(p)
		p, m.Kind = skip(b, p)
		m.End = int32(p)
		if !yield(m) {
			return
		}
		p = pastMark(b, p)
	}
}

// pastMark passes the colon or comma at p, and white space on both sides. At the
// end of a container it passes the bracket, which does no harm.
func pastMark(b []byte, p int) int {
	if white(b, p) {
		p = Space(b, p)
	}
	if p++; white(b, p) {
		p = Space(b, p)
	}
	return p
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
		p += passive(b[p:])
	}
	return p
}

// passive is how many bytes at the front of b are neither quote nor bracket, as
// far as eight at a time tell.
func passive(b []byte) int {
	n := 0
	for n+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[n:])
		round := x | wide20 // '[' and ']' become '{' and '}'
		quote, open, end := x^wide22, round^wide7b, round^wide7d
		hit := ((quote-wide01)&^quote | (open-wide01)&^open | (end-wide01)&^end) & wide80
		if hit != 0 {
			return n + bits.TrailingZeros64(hit)>>3
		}
		n += 8
	}
	return n
}
