package yamlscan

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/room"
)

// entry notes one entry of the innermost collection and returns where its value
// begins.
func (s *scanner) entry(begin int, t token) int {
	l := &s.open[len(s.open)-1]
	if t.is == colon {
		l.set = false
		return t.after
	}
	switch t.is {
	case key:
		s.keyed(begin, t.start, t.end, t.seen)
	case complex:
		s.census.entries++
		end, _ := s.plainEnd(t.after)
		if at := s.add(begin); at >= 0 {
			s.named(at, t.after, end)
		}
		l.set = true
	default:
		s.item(begin)
	}
	return t.after
}

// merge is the key that takes over the entries of another mapping.
const merge = "<<"

// keyed notes an entry of the innermost collection with the key b[start:end].
func (s *scanner) keyed(begin, start, end int, seen uint8) {
	if seen&unlikely != 0 && string(s.b[start:end]) == merge {
		seen &^= unlikely
	}
	s.census.key(seen)
	if at := s.add(begin); at >= 0 {
		s.named(at, start, end)
	}
}

// item notes an entry of the innermost sequence.
func (s *scanner) item(begin int) {
	s.census.entries++
	pos := int32(0)
	if l := &s.open[len(s.open)-1]; l.owner >= 0 {
		pos = s.nodes[l.owner].val
	}
	if at := s.add(begin); at >= 0 {
		s.nodes[at].start = pos
		s.parts[at].Kind, s.parts[at].Form = part.Record, uint8(isItem)
	}
}

// add notes an entry of the innermost collection. It returns its part, or -1.
func (s *scanner) add(begin int) int32 {
	l := &s.open[len(s.open)-1]
	l.set = false
	if l.owner >= 0 {
		s.nodes[l.owner].val++
	}
	l.entry = s.note(begin, l.owner)
	return l.entry
}

// push opens a collection, the value of the last entry.
func (s *scanner) push(col int32, seq bool) {
	owner := s.doc
	if n := len(s.open); n > 0 {
		owner = s.open[n-1].entry
	}
	if owner >= 0 {
		if seq {
			s.holds(owner, sequence, 0)
		} else {
			s.holds(owner, mapping, 0)
		}
	}
	if len(s.open) == cap(s.open) { // a level takes two bytes, as "- " does
		s.open = room.More(s.open, s.at, len(s.b), len(s.b)/2+2)
	}
	s.open = append(s.open, level{col: col, owner: owner, entry: -1, seq: seq})
}

// sibling ends the last entry of the innermost collection.
func (s *scanner) sibling(at int) {
	l := &s.open[len(s.open)-1]
	if l.entry >= 0 {
		s.extend(l.entry, at)
	}
}

// close ends all collections but the first n.
func (s *scanner) close(n, at int) {
	for len(s.open) > n {
		s.sibling(at)
		s.open = s.open[:len(s.open)-1]
	}
}

// note adds a part and returns its position, or -1 if it is too deep.
func (s *scanner) note(begin int, owner int32) int32 {
	if owner < 0 || len(s.open) > s.levels {
		return -1
	}
	if len(s.parts) == cap(s.parts) {
		if owner = s.grow(begin, owner); owner < 0 {
			return -1
		}
	}
	s.parts = append(s.parts, part.Part{Start: int32(begin), Parent: owner})
	s.nodes = append(s.nodes, place{})
	return int32(len(s.parts) - 1)
}
