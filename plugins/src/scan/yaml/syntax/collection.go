package syntax

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// collection is an open block collection.
type collection struct {
	col   int32 // of its keys or dashes
	owner int32 // its node
	entry int32 // the node of its last entry; both are -1 if they are not noted
	seq   bool
	set   bool // its last entry is a complex key: ? without a : yet
}

// fits reports whether an entry of the collection can begin with the token.
func (c *collection) fits(is tokenKind) bool {
	switch is {
	case dash:
		return c.seq
	case key, complex:
		return !c.seq
	case colon:
		return c.set
	}
	return false
}

// hasComplexKey reports whether the last entry of the innermost collection is a
// complex key without a value.
func (s *scanner) hasComplexKey() bool {
	n := len(s.open) - 1
	return n >= 0 && s.open[n].set
}

// openCollection opens a collection, the value of the last entry.
func (s *scanner) openCollection(col int32, seq bool) {
	owner := s.doc
	if n := len(s.open); n > 0 {
		owner = s.open[n-1].entry
	}
	if owner >= 0 {
		if seq {
			s.setValue(owner, Sequence, 0)
		} else {
			s.setValue(owner, Mapping, 0)
		}
	}
	if len(s.open) == cap(s.open) { // a level takes at least two bytes: "- "
		s.open = grow.Slice(s.open, s.at, len(s.b), len(s.b)/2+2)
	}
	s.open = append(s.open, collection{col: col, owner: owner, entry: -1, seq: seq})
}

// endEntry ends the last entry of the innermost collection.
func (s *scanner) endEntry(at int) {
	c := &s.open[len(s.open)-1]
	if c.entry >= 0 {
		s.setEnd(c.entry, at)
	}
}

// closeCollections ends all collections but the first n.
func (s *scanner) closeCollections(n, at int) {
	for len(s.open) > n {
		s.endEntry(at)
		s.open = s.open[:len(s.open)-1]
	}
}

// addEntry adds an entry to the innermost collection. It returns its node, or -1.
func (s *scanner) addEntry(begin int) int32 {
	c := &s.open[len(s.open)-1]
	c.set = false
	if c.owner >= 0 {
		s.places[c.owner].Value++
	}
	c.entry = s.addNode(begin, c.owner)
	return c.entry
}

// addNode adds a node and returns its position, -1 if it is too deep.
func (s *scanner) addNode(begin int, owner int32) int32 {
	if owner < 0 || len(s.open) > s.levels {
		return -1
	}
	if len(s.parts) == cap(s.parts) {
		if owner = s.grow(begin, owner); owner < 0 {
			return -1
		}
	}
	s.parts = append(s.parts, part.Part{Start: int32(begin), Parent: owner})
	s.places = append(s.places, Place{})
	return int32(len(s.parts) - 1)
}

// mergeKey is the key that takes over the entries of another mapping.
const mergeKey = "<<"

// addKey adds an entry with the key b[start:end] to the innermost collection.
func (s *scanner) addKey(begin, start, end int, seen uint8) {
	if seen&unlikely != 0 && string(s.b[start:end]) == mergeKey {
		seen &^= unlikely
	}
	s.evidence.addKey(seen)
	if i := s.addEntry(begin); i >= 0 {
		s.setKey(i, start, keySize(s.b[start:end]))
	}
}

// addItem adds an entry to the innermost sequence.
func (s *scanner) addItem(begin int) {
	s.evidence.entries++
	position := int32(0)
	if c := &s.open[len(s.open)-1]; c.owner >= 0 {
		position = s.places[c.owner].Value
	}
	if i := s.addEntry(begin); i >= 0 {
		s.places[i].Start = position
		s.parts[i].Kind, s.parts[i].Form = part.Record, uint8(Item)
	}
}
