package syntax

import "github.com/mcpctl/mcpctl/plugins/src/internal/grow"

// level returns the level of the innermost element, 0 outside of all.
func (s *scanner) level() int { return len(s.open) - 1 + len(s.deep) }

// push opens an element. i is its part, or -1, and end the end of its start tag.
func (s *scanner) push(name span, i int32, end int) {
	if len(s.open) <= deepest {
		s.open = append(s.open, frame{name: name, part: i, last: none})
		return
	}
	if len(s.deep) == cap(s.deep) { // each has an end tag too, so at most half of the rest opens elements
		s.deep = grow.Slice(s.deep, end, end+(len(s.b)-end)/2, MaxDepth)
	}
	f := &s.open[deepest]
	s.deep = append(s.deep, f.name)
	f.name = name
}

// pop returns to the parent of the innermost element.
func (s *scanner) pop() {
	last := len(s.deep) - 1
	if last < 0 {
		s.open = s.open[:len(s.open)-1]
		return
	}
	f := &s.open[deepest]
	f.name, f.text.end = s.deep[last], 0
	s.deep = s.deep[:last]
}

// nameAt returns the name of the open element on a level.
func (s *scanner) nameAt(level int) []byte {
	n := s.open[min(level, deepest, len(s.open)-1)].name
	if under := level - deepest; under >= 0 && under < len(s.deep) {
		n = s.deep[under]
	}
	return s.b[n.start:n.end]
}
