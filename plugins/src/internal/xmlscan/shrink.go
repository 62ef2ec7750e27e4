package xmlscan

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Parts of tiny elements take more memory than the text: there are as many as
// take about as much, and one to eight times as many as there can be sections.
const (
	bytesForPart = 14
	leastParts   = maxChildren
	maxParts     = 1 << 19
)

// sample is how much of a text tells how many tags it has.
const sample = 1 << 16

// reserve allocates the parts at once: to move them to more room would take as
// much memory again.
func (s *scanner) reserve() {
	s.limit = min(max(len(s.b)/bytesForPart, leastParts), maxParts)
	n := countTags(s.b[:min(len(s.b), sample)])
	if len(s.b) > sample {
		n = n * (len(s.b) >> 10) / (sample >> 10)
	}
	n = min(n+n/4+64, s.limit) // texts among elements are parts too
	s.parts, s.what = make([]part.Part, 0, n), make([]what, 0, n)
}

// shrink forgets the parts of deeper levels, from here on too, until at most three
// quarters of them are left: as sections they would give way to the others.
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
	for n := count[0]; n <= s.limit/4*3; n += count[s.noted] {
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
			s.what[len(kept)] = s.what[i]
			kept = append(kept, p)
		}
	}
	s.parts, s.what = kept, s.what[:len(kept)]
	s.moved(to, level)
}

// moved takes the new positions of parts over, -1 for those that are gone.
func (s *scanner) moved(to []int32, level []uint8) {
	s.wide = slices.DeleteFunc(s.wide, func(w wide) bool { return int(level[w.part])+1 >= s.noted })
	for i := range s.wide {
		s.wide[i].part = to[s.wide[i].part]
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
	s.parts, s.what, f.last = s.parts[:f.part+1], s.what[:f.part+1], none
	s.wide = slices.DeleteFunc(s.wide, func(w wide) bool { return w.part > f.part })
}

// add notes a part of an element. What lies too deep is none, nor are children
// that are too many to be named.
func (s *scanner) add(f *frame, what what, start, end, depth int) int32 {
	if f.tagEnd > 0 && f.part >= 0 {
		s.opening(f, depth)
	}
	if len(s.parts) == s.limit {
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
	s.what = append(s.what, what)
	return int32(len(s.parts) - 1)
}
