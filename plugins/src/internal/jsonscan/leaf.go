package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

// What may stand at the next byte that is no white space.
const (
	wantValue    = iota
	wantElement  // or the end of the array
	wantKey      // of a further member
	wantFirstKey // or the end of the object
	wantColon
	wantNext // a comma or the end of the container
)

// leaf reads the container at p if it ends within limit bytes and counts its
// children. It keeps all it knows in local variables and calls nothing for the
// bytes that are common, which is several times as fast in Wasm as the loop of
// Scan; what it does not understand it leaves to that, errors among it. Not ok:
// end is how far it came. The children go into fields as far as there is room.
func leaf(b []byte, p, limit int, fields []field) (end, kids int, ok bool) {
	last := min(len(b)-16, p+limit) // so that 8 bytes after a token can be read
	stack, depth, want := uint64(0), 0, wantValue
	from, value, key, keyEnd := p, 0, 0, 0 // value, key: those of the next child
	for p < last {
		c, start := b[p], p
		if c <= ' ' {
			if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return p, 0, false
			}
			p++
			for p < last { // a line end is mostly followed by the blanks of an indent
				x := binary.LittleEndian.Uint64(b[p:]) ^ wide20
				if x != 0 {
					p += bits.TrailingZeros64(x) >> 3
					break
				}
				p += 8
			}
			continue
		}
		switch c {
		case '"':
			if want >= wantColon {
				return p, 0, false
			}
			p++
			for p < last {
				x := binary.LittleEndian.Uint64(b[p:])
				quote, slash := x^wide22, x^wide5c
				if hit := ((x - wide20) | (quote - wide01) | (slash - wide01) | x) & wide80; hit != 0 {
					p += bits.TrailingZeros64(hit) >> 3
					break
				}
				p += 8
			}
			if b[p] == '"' {
				p++
			} else if p, ok = String(b, start); !ok || p >= last {
				return p, 0, false
			}
			if want < wantKey {
				break
			}
			if depth == 1 {
				key, keyEnd = start-from, p-from
			}
			if want = wantColon; b[p] == ':' {
				if p, want = p+1, wantValue; b[p] == ' ' {
					p++
				}
			}
			continue
		case ',':
			if want != wantNext {
				return p, 0, false
			}
			want = wantValue + int(stack&1)*wantKey
			if p++; b[p] == ' ' {
				p++
			}
			continue
		case '}', ']':
			object := stack&1 != 0
			if object != (c == '}') || want != wantNext && want != wantElement && want != wantFirstKey {
				return p, 0, false
			}
			p++
			if depth--; depth == 0 {
				return p, kids, true
			}
			stack, start = stack>>1, value
		case '{', '[':
			if want > wantElement || depth == 64 {
				return p, 0, false
			}
			if depth == 1 {
				value = p
			}
			p, depth = p+1, depth+1
			if stack, want = stack<<1, wantElement; c == '{' {
				stack, want = stack|1, wantFirstKey
			}
			continue
		case ':':
			if want != wantColon {
				return p, 0, false
			}
			p, want = p+1, wantValue
			continue
		default:
			if want > wantElement {
				return p, 0, false
			}
			x := binary.LittleEndian.Uint64(b[p:])
			digit := x ^ wide30
			n := bits.TrailingZeros64(((digit&^wide80+wide76)|digit)&wide80) >> 3
			if n > 0 && n < 8 && (c != '0' || n == 1) && b[p+n] != '.' && b[p+n]|0x20 != 'e' {
				p += n
			} else if p, _, ok = scalar(b, p); !ok {
				return p, 0, false
			}
		}
		if want = wantNext; depth == 1 { // a child ends here
			if kids < len(fields) {
				fields[kids] = field{uint16(key), uint16(keyEnd), uint16(start - from), uint16(p - from)}
			}
			kids++
		}
	}
	return p, 0, false
}

// shortcut notes the container at p as a leaf if it is one.
func (s *Scanner) shortcut(p int, key span) (end int, ok bool) {
	if p < s.retry || !s.direct() {
		return p, false
	}
	limit := s.o.Top
	if len(s.open) > 0 {
		if limit = s.o.Leaf; s.Node(s.open[len(s.open)-1]).Kind == Array {
			limit = s.o.Record
		}
	}
	kind := bracketKind(s.b[p])
	var room []field
	if kind == Object && limit <= maxField {
		room = s.fields.room(len(s.b))
	}
	end, kids, ok := leaf(s.b, p, limit, room)
	if !ok {
		s.retry = end // what was read in vain is read once more, not again for each container in it
		return p, false
	}
	if s.note(p, end, key, kind) {
		n := s.Node(int32(s.count) - 1)
		n.Kids = int32(kids)
		if kids > 0 && kids <= len(room) {
			n.fields = s.fields.keep(kids)
		}
	}
	return end, true
}
