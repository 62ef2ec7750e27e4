package json

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Member is a child of a container. KeyStart and KeyEnd are both 0 in an array.
type Member struct {
	KeyStart, KeyEnd int32
	Start, End       int32
	Kind             Kind
}

// Members appends the children of the container at node i to dst, in order.
//
// The children of a node that was split are known, and mostly those of a leaf; otherwise
// they are read again, without checks.
func (s *Scanner) Members(dst []Member, i int32) []Member {
	n := s.Node(i)
	switch {
	case n.next < 0:
		return s.appendFields(dst, n.Start, s.fields.at(-n.next, n.Kids))
	case !s.IsSplit(i):
		if again := s.readFields(n); again != nil {
			return s.appendFields(dst, n.Start, again)
		}
		return AppendMembers(dst, s.b, *n)
	}
	for at := i + 1; at < n.next; at = s.Next(at) {
		n := s.Node(at)
		key, end := s.Key(n)
		dst = append(dst, Member{key, end, n.Start, n.End, n.Kind})
	}
	return dst
}

// appendFields appends the fields of a leaf that begins at an offset.
func (s *Scanner) appendFields(dst []Member, start int32, fields []field) []Member {
	for _, f := range fields {
		dst = append(dst, Member{
			start + int32(f.key), start + int32(f.keyEnd), start + int32(f.start), start + int32(f.end),
			kindByFirstByte(s.b[start+int32(f.start)]),
		})
	}
	return dst
}

// readFields reads the members of a leaf for which there was no room. It is twice as fast as
// AppendMembers, but returns nil for a leaf that is too large. The result is valid until the next call.
func (s *Scanner) readFields(n *Node) []field {
	if n.Kind != Object || n.Size() > maxField || int(n.Kids) > len(s.scratch) {
		return nil
	}
	w := walker{at: int(n.Start), want: wantValue, open: 1, from: int(n.Start), fields: s.scratch[:]}
	if !w.run(s.b, min(s.fast, int(n.End))) {
		return nil
	}
	return s.scratch[:w.kids]
}

// AppendMembers appends the children of a container that was not split, in the text b. Like walk it is
// one loop without calls, one iteration for each token.
func AppendMembers(dst []Member, b []byte, n Node) []Member {
	text, last := unsafe.Pointer(unsafe.SliceData(b)), len(b)-8 // reads of eight bytes begin at or before last
	p, end, depth := int(n.Start)+1, int(n.End)-1, 0
	keyed := n.Kind != Object // the key of the next value was read, or it has no key
	key, from := uint64(0), 0 // start and, in the upper half, end of that key; start of the value
	for p < end {
		start := p
		switch c := loadByte(text, p); c {
		case ' ', '\n', '\t', '\r', ',', ':':
			if p++; p <= last {
				p += bits.TrailingZeros64(loadWord(text, p)^wide20) >> 3
			}
			continue
		case '"':
			p++
			for {
				for p <= last {
					x := loadWord(text, p)
					quote, slash := x^wide22, x^wide5c
					if hit := ((quote-wide01)&^quote | (slash-wide01)&^slash) & wide80; hit != 0 {
						p += bits.TrailingZeros64(hit) >> 3
						break
					}
					p += 8
				}
				if b[p] == '"' {
					break
				}
				if b[p] == '\\' {
					p++
				}
				p++
			}
			if p++; !keyed {
				key, keyed = uint64(start)|uint64(p)<<32, true
				continue
			}
		case '{', '[':
			if depth++; depth == 1 {
				from = start
			}
			keyed = true // the keys inside are skipped
			p += 1 + skipPassive(b[p+1:])
			continue
		case '}', ']':
			p++
			if depth--; depth == 0 {
				start = from
			}
		case 't', 'n':
			p += len("true")
		case 'f':
			p += len("false")
		default:
			for p++; b[p] > ',' && b[p] != ']' && b[p] != '}' || b[p] == '+'; p++ {
			}
		}
		if depth > 0 {
			p += skipPassive(b[p:])
			continue
		}
		dst = append(dst, Member{int32(uint32(key)), int32(key >> 32), int32(start), int32(p), kindByFirstByte(loadByte(text, start))})
		key, keyed = 0, n.Kind != Object
	}
	return dst
}

// kindByFirstByte returns the kind of a value using only its first byte.
func kindByFirstByte(c byte) Kind {
	switch c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return Text
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// skipPassive returns how many bytes at the start of b are neither quote nor bracket. It stops
// before the last 7 bytes.
func skipPassive(b []byte) int {
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
