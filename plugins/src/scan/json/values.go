package json

import (
	"math/bits"
	"unsafe"
)

// margin is the number of bytes before the end of the text at which readValues and walk stop,
// because they read beyond the bytes that they have checked.
const margin = 32

// readValues reads from p, where a value begins that is noted, as long as scalars and
// containers that are leaves follow, and adds them. It returns the offset that it reached,
// the token expected there, and the key before it if that is a value.
//
// It does the same as the loop of Scan for these values. It exists because values are many,
// and each call costs as much as reading one.
func (s *Scanner) readValues(key span, p int) (_ span, next, want int) {
	depth := len(s.open)
	if depth > s.depth && depth > 0 {
		return s.skipChildren(p)
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
		start, end, kind := p, 0, Number
		switch c := loadByte(text, p); {
		case (c == '{' || c == '[') && loadByte(text, p+1) == c+2:
			end, kind = p+2, bracketKind(c) // empty
		case c == '{' || c == '[':
			if p < s.retry {
				return key, p, wantValue
			}
			was, ok := s.depth, false
			if p, ok = s.readLeaf(p, limit, key); !ok {
				return key, p, wantValue
			}
			if s.depth != was { // nodes have moved
				return span{}, p, wantNext
			}
		case c == '"':
			if kind, end = Text, shortStringEnd(text, p); end == 0 {
				end = s.stringEnd(p)
			}
		default:
			if end = integerEnd(text, p); end == 0 || loadByte(text, end) == '.' || loadByte(text, end)|0x20 == 'e' {
				end, kind = s.scalarEnd(p)
			}
		}
		switch at := s.count; {
		case end < 0:
			return key, p, wantValue
		case end == 0: // readLeaf has added it
		case at&(nodePage-1) == 0 || at >= s.o.Nodes: // there may be no page, or no room
			s.addNode(start, end, key, kind)
			return span{}, end, wantNext
		default:
			p = end
			s.count++
			s.pages[at/nodePage][at%nodePage] = Node{
				Start: int32(start), End: int32(p), keyStart: int32(key.start), keySize: key.keySize(),
				next: int32(at) + 1, Depth: uint8(depth), Kind: kind,
			}
			up.Kids++
		}
		if depth == 0 || p >= s.fast || loadByte(text, p) != ',' {
			return span{}, p, wantNext
		}
		if p++; loadByte(text, p) <= ' ' {
			p = SkipSpace(s.b, p)
		}
		if of == Array {
			continue
		}
		var ok bool
		if key, p, ok = s.readKey(p); !ok {
			return span{}, p, wantKey
		}
	}
	return key, p, wantValue
}

// shortStringEnd returns the offset after the string at p if that is plain and has at most 7 bytes, or 0.
func shortStringEnd(text unsafe.Pointer, p int) int {
	if end := p + 1 + bits.TrailingZeros64(markSpecial(loadWord(text, p+1)))>>3; loadByte(text, end) == '"' {
		return end + 1
	}
	return 0
}

// stringEnd returns the offset after the string at p, or -1 if it is invalid.
func (s *Scanner) stringEnd(p int) int {
	if end, ok := ScanString(s.b, p); ok {
		return end
	}
	return -1
}

// scalarEnd returns the offset after the scalar at p and its kind, or -1 if it is invalid.
func (s *Scanner) scalarEnd(p int) (int, Kind) {
	if end, kind, ok := scanScalar(s.b, p); ok {
		return end, kind
	}
	return -1, Null
}

// readLeaf adds the container at p as a leaf, if it is one.
func (s *Scanner) readLeaf(p, limit int, key span) (end int, ok bool) {
	kind := bracketKind(s.b[p])
	w := walker{at: p, want: wantValue, open: 1, from: p}
	if kind == Object && limit <= maxField {
		w.fields = s.fields.allocate(len(s.b))
	}
	if !w.run(s.b, min(s.fast, p+limit)) {
		s.retry = w.at // the bytes read in vain are read once more, but not again for each container in them
		return p, false
	}
	if s.addNode(p, w.at, key, kind) {
		n := s.Node(int32(s.count) - 1)
		n.Kids = int32(w.kids)
		if w.kids > 0 && w.kids <= len(w.fields) {
			n.next = -s.fields.keep(w.kids)
		}
	}
	return w.at, true
}

// topLimit returns the size up to which a top value is a leaf: any size if none is noted.
func (s *Scanner) topLimit() int {
	if s.depth < 0 {
		return len(s.b)
	}
	return s.o.Top
}

// readKey reads the key of a member up to its value. If it is not ok, the loop of Scan has to
// read it.
func (s *Scanner) readKey(p int) (key span, value int, ok bool) {
	if p >= s.fast || s.b[p] != '"' {
		return span{}, p, false
	}
	end, ok := ScanString(s.b, p)
	if !ok || end >= s.fast || s.b[end] != ':' {
		return span{}, p, false
	}
	if value = end + 1; s.b[value] <= ' ' {
		value = SkipSpace(s.b, value)
	}
	return span{p, end}, value, true
}

// skipChildren reads the children, from p on, of a container none of whose children are noted.
func (s *Scanner) skipChildren(p int) (_ span, next, want int) {
	up := s.Node(s.open[len(s.open)-1])
	w := walker{at: p, want: wantValue, open: 2}
	if up.Kind == Object {
		w.open |= 1
	}
	var outer []uint64 // brackets that were open when the walker had no bit left for another
	for {
		closed := w.run(s.b, s.fast)
		if len(outer) == 0 {
			up.Kids += int32(w.kids)
		}
		last := len(outer) - 1
		switch {
		case closed && last < 0:
			s.closeContainer(w.at)
			return span{}, w.at, wantNext
		case closed:
			w.open, outer = outer[last], outer[:last]
		case w.open>>63 != 0 && w.want <= wantElement && w.at < s.fast:
			w.open, outer = 1, append(outer, w.open)
		default:
			s.resume(append(outer, w.open))
			return span{}, w.at, w.want
		}
		w.kids = 0
	}
}

// resume lets the loop of Scan read the rest of the innermost noted container, in which some
// brackets are open.
func (s *Scanner) resume(open []uint64) {
	s.brackets.pop()
	for _, stack := range open {
		for level := bits.Len64(stack) - 2; level >= 0; level-- {
			s.brackets.push(stack>>level&1 != 0)
		}
	}
	if !s.isDirect() {
		s.Node(s.open[len(s.open)-1]).Kids++ // the child that contains the offset
	}
}
