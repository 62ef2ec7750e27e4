package json

import (
	"math/bits"
	"unsafe"
)

// margin is how many bytes before the end of the text rows and walk give up, as they
// read further than they have looked.
const margin = 32

// rows reads on from p, where a value begins that counts, as long as what follows are
// scalars and containers small enough to be leaves, and notes them. It returns the
// place it came to, what is wanted there, and the key before it if that is a value.
//
// It does what the loop of Scan does, and nothing else: it is there because values
// are many, and each call costs as much as reading one.
func (s *Scanner) rows(key span, p int) (_ span, next, want int) {
	depth := len(s.open)
	if depth > s.depth && depth > 0 {
		return s.skip(p)
	}
	text := unsafe.Pointer(unsafe.SliceData(s.b))
	up, of, limit := &s.none, Array, s.topLimit()
	if depth > 0 {
		up = s.Node(s.open[depth-1])
		if of, limit = up.Kind, s.o.Leaf; of == Array {
			limit = s.o.Record
		}
	}
	for p < s.fast {
		start, kind, noted := p, Number, false
		switch c := char(text, p); c {
		case '{', '[':
			if kind = bracketKind(c); char(text, p+1) == c+2 { // empty
				p += 2
				break
			}
			if p < s.retry {
				return key, p, wantValue
			}
			was, ok := s.depth, false
			if p, ok = s.leaf(p, limit, key); !ok {
				return key, p, wantValue
			}
			if s.depth != was { // nodes have moved
				return span{}, p, wantNext
			}
			noted = true
		case '"':
			kind = Text
			if n := p + 1 + bits.TrailingZeros64(special(word(text, p+1)))>>3; char(text, n) == '"' {
				p = n + 1
			} else if end, ok := String(s.b, p); ok {
				p = end
			} else {
				return key, p, wantValue
			}
		default:
			n := bits.TrailingZeros64(nondigits(word(text, p))) >> 3
			if n > 0 && n < 8 && (c != '0' || n == 1) && char(text, p+n) != '.' && char(text, p+n)|0x20 != 'e' {
				p += n
			} else if end, k, ok := scalar(s.b, p); ok {
				p, kind = end, k
			} else {
				return key, p, wantValue
			}
		}
		if at := s.count; !noted {
			if at&(nodePage-1) == 0 || at >= s.o.Nodes { // there may be no page, or no room
				s.note(start, p, key, kind)
				return span{}, p, wantNext
			}
			s.count++
			s.pages[at/nodePage][at%nodePage] = Node{
				Start: int32(start), End: int32(p), keyStart: int32(key.start), keySize: key.keySize(),
				next: int32(at) + 1, Depth: uint8(depth), Kind: kind,
			}
			up.Kids++
		}
		if depth == 0 || p >= s.fast || char(text, p) != ',' {
			return span{}, p, wantNext
		}
		if p++; char(text, p) <= ' ' {
			p = Space(s.b, p)
		}
		if of == Array {
			continue
		}
		var ok bool
		if key, p, ok = s.name(p); !ok {
			return span{}, p, wantKey
		}
	}
	return key, p, wantValue
}

// leaf notes the container at p as a leaf if it is one.
func (s *Scanner) leaf(p, limit int, key span) (end int, ok bool) {
	kind := bracketKind(s.b[p])
	w := walker{at: p, want: wantValue, open: 1, from: p}
	if kind == Object && limit <= maxField {
		w.fields = s.fields.room(len(s.b))
	}
	if !w.run(s.b, min(s.fast, p+limit)) {
		s.retry = w.at // what was read in vain is read once more, not again for each container in it
		return p, false
	}
	if s.note(p, w.at, key, kind) {
		n := s.Node(int32(s.count) - 1)
		n.Kids = int32(w.kids)
		if w.kids > 0 && w.kids <= len(w.fields) {
			n.next = -s.fields.keep(w.kids)
		}
	}
	return w.at, true
}

// topLimit is the size up to which a top value is a leaf: any if none is noted.
func (s *Scanner) topLimit() int {
	if s.depth < 0 {
		return len(s.b)
	}
	return s.o.Top
}

// name reads the key of a member and what stands between it and the value. Not ok: it
// is left to the loop of Scan.
func (s *Scanner) name(p int) (key span, value int, ok bool) {
	if p >= s.fast || s.b[p] != '"' {
		return span{}, p, false
	}
	end, ok := String(s.b, p)
	if !ok || end >= s.fast || s.b[end] != ':' {
		return span{}, p, false
	}
	if value = end + 1; s.b[value] <= ' ' {
		value = Space(s.b, value)
	}
	return span{p, end}, value, true
}

// skip reads the children, from p on, of a container of which none is noted.
func (s *Scanner) skip(p int) (_ span, next, want int) {
	up := s.Node(s.open[len(s.open)-1])
	w := walker{at: p, want: wantValue, open: 2}
	if up.Kind == Object {
		w.open |= 1
	}
	var outer []uint64 // what was open where the walker had no bit left for one more bracket
	for {
		closed := w.run(s.b, s.fast)
		if len(outer) == 0 {
			up.Kids += int32(w.kids)
		}
		last := len(outer) - 1
		switch {
		case closed && last < 0:
			s.leave(w.at)
			return span{}, w.at, wantNext
		case closed:
			w.open, outer = outer[last], outer[:last]
		case w.open>>63 != 0 && w.want <= wantElement && w.at < s.fast:
			w.open, outer = 1, append(outer, w.open)
		default:
			s.take(append(outer, w.open))
			return span{}, w.at, w.want
		}
		w.kids = 0
	}
}

// take leaves what is left of the innermost noted container to the loop of Scan,
// which gets the brackets that are open in it.
func (s *Scanner) take(open []uint64) {
	s.nest.pop()
	for _, stack := range open {
		for level := bits.Len64(stack) - 2; level >= 0; level-- {
			s.nest.push(stack>>level&1 != 0)
		}
	}
	if !s.direct() {
		s.Node(s.open[len(s.open)-1]).Kids++ // the child it stands in
	}
}
