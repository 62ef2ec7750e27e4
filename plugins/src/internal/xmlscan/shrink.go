package xmlscan

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxParts bounds what a text of tiny elements takes: there are eight times as
// many parts as there can be sections.
const maxParts = 1 << 19

// shrink forgets the parts of deeper levels, from here on too, until at most half
// of them are left: as sections they would give way to the others.
func (s *scanner) shrink() {
	level := make([]uint8, len(s.parts))
	var count [maxNoted]int
	for i, p := range s.parts {
		if p.Parent >= 0 {
			level[i] = level[p.Parent] + 1
		}
		count[level[i]]++
	}
	s.noted = 0
	for n := count[0]; n <= maxParts/2; n += count[s.noted] {
		s.noted++
	}
	to := make([]int32, len(s.parts))
	kept := s.parts[:0]
	for i, p := range s.parts {
		if to[i] = -1; int(level[i]) < s.noted {
			to[i] = int32(len(kept))
			if p.Parent >= 0 {
				p.Parent = to[p.Parent]
			}
			kept = append(kept, p)
		}
	}
	s.parts = kept
	s.moved(to, level)
}

// moved takes the new positions of parts over, -1 for those that are gone.
func (s *scanner) moved(to []int32, level []uint8) {
	s.wide = slices.DeleteFunc(s.wide, func(i int32) bool { return int(level[i])+1 >= s.noted })
	for i, at := range s.wide {
		s.wide[i] = to[at]
	}
	for i := range s.open {
		f := &s.open[i]
		if f.last = none; f.part >= 0 {
			f.part = to[f.part]
		}
	}
}

// drop forgets the parts in an element.
func (s *scanner) drop(f *frame) {
	s.parts, f.last = s.parts[:f.part+1], none
	s.wide = slices.DeleteFunc(s.wide, func(i int32) bool { return i > f.part })
}

// add notes a part of an element. What lies too deep is none, nor are children
// that are too many to be named.
func (s *scanner) add(f *frame, start, end, depth int) int32 {
	if f.tagEnd > 0 && f.part >= 0 {
		s.opening(f, depth)
	}
	if len(s.parts) == maxParts {
		s.shrink()
	}
	if depth >= s.noted || f.part < 0 && depth > 0 || f.kids > maxChildren {
		return -1
	}
	f.kids++
	if f.kids > maxChildren && depth > 0 {
		s.drop(f)
		return -1
	}
	s.parts = append(s.parts, part.Part{Start: int32(start), End: int32(end), Parent: f.part})
	return int32(len(s.parts) - 1)
}
