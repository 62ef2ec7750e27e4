package jsonscan

import (
	"math/bits"
	"unsafe"
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
//
// Go has 16 registers in Wasm, and what does not fit into them costs more than
// what is done with it: hence the few variables, and reads that need no length. A
// turn begins below last and comes to at most 10 bytes behind it before it reads
// again, so all it reads lies in the text.
func leaf(b []byte, p, limit int, fields []field) (end, kids int, ok bool) {
	text := unsafe.Pointer(unsafe.SliceData(b))
	last := min(len(b)-32, p+limit)
	stack, want := uint64(1), wantValue // below its top bit, a bit for each bracket that is open
	from, value, key := p, 0, uint32(0) // value, key: those of the next child
	for p < last {
		c, start := char(text, p), p
		if c <= ' ' {
			if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				return p, 0, false
			}
			// A line end is mostly followed by the blanks of an indent.
			p += 1 + bits.TrailingZeros64(word(text, p+1)^wide20)>>3
			continue
		}
		switch c {
		case '"':
			if want >= wantColon {
				return p, 0, false
			}
			p++
			for p < last {
				x := word(text, p)
				quote, slash := x^wide22, x^wide5c
				if hit := ((x - wide20) | (quote - wide01) | (slash - wide01) | x) & wide80; hit != 0 {
					p += bits.TrailingZeros64(hit) >> 3
					break
				}
				p += 8
			}
			if char(text, p) == '"' {
				p++
			} else if p, ok = String(b, start); !ok || p >= last {
				return p, 0, false
			}
			if want < wantKey {
				break
			}
			if stack < 4 {
				key = uint32(start-from) | uint32(p-from)<<16
			}
			if want = wantColon; char(text, p) == ':' {
				if p, want = p+1, wantValue; char(text, p) == ' ' {
					p++
				}
			}
			continue
		case ',':
			if want != wantNext {
				return p, 0, false
			}
			want = wantValue + int(stack&1)*wantKey
			if p++; char(text, p) == ' ' {
				p++
			}
			continue
		case '}', ']':
			object := stack&1 != 0
			if object != (c == '}') || want != wantNext && want != wantElement && want != wantFirstKey {
				return p, 0, false
			}
			p++
			if stack >>= 1; stack == 1 {
				return p, kids, true
			}
			start = value
		case '{', '[':
			if want > wantElement || stack>>63 != 0 {
				return p, 0, false
			}
			if stack&^1 == 2 {
				value = p
			}
			p++
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
			x := word(text, p)
			digit := x ^ wide30
			n := bits.TrailingZeros64(((digit&^wide80+wide76)|digit)&wide80) >> 3
			if n > 0 && n < 8 && (c != '0' || n == 1) && char(text, p+n) != '.' && char(text, p+n)|0x20 != 'e' {
				p += n
			} else if p, _, ok = scalar(b, p); !ok {
				return p, 0, false
			}
		}
		if want = wantNext; stack < 4 { // a child ends here
			if kids < len(fields) {
				fields[kids] = field{uint16(key), uint16(key >> 16), uint16(start - from), uint16(p - from)}
			}
			kids++
		}
	}
	return p, 0, false
}

// word is the eight bytes at p, which must all be in the text; the first is the
// lowest, as on all machines that Go's Wasm and this project's tests run on.
func word(text unsafe.Pointer, p int) uint64 { return *(*uint64)(unsafe.Add(text, p)) }

// char is the byte at p, which must be in the text.
func char(text unsafe.Pointer, p int) byte { return *(*byte)(unsafe.Add(text, p)) }

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
			n.next = -s.fields.keep(kids)
		}
	}
	return end, true
}
