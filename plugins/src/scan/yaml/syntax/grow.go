package syntax

import "github.com/mcpctl/mcpctl/plugins/src/internal/part"

// grow makes room for more nodes, or drops the deepest levels if there are too many.
// It assumes that the rest of the text has as many nodes as the text up to at:
// doubling the slices would leave garbage of the same size, and a guest never
// returns memory. It returns the new position of node owner, or -1.
func (s *scanner) grow(at int, owner int32) int32 {
	n, most := len(s.parts), MaxParts(len(s.b))
	if n >= most {
		return s.shrink(owner)
	}
	all := n * len(s.b) / (at + 1)
	s.reserve(min(max(n+n/8, all+all/16), most))
	return owner
}

// shrink drops the deepest levels until an eighth of the nodes is free, and sets
// s.levels so that no more nodes of those levels are added. It returns the new
// position of node owner, or -1.
//
// Nodes are moved in place, and only the new position of the last node of each level
// is kept: the following nodes and all open collections are inside one of those. A
// list of new positions would take a third of the memory of the nodes.
func (s *scanner) shrink(owner int32) int32 {
	var p path
	for i := range s.parts {
		p.enter(s.parts, int32(i))
		p.count[p.level]++
	}
	all := 0
	s.levels = 0
	for level, n := range p.count {
		if all += n; all > len(s.parts)/8*7 {
			break
		}
		s.levels = level
	}
	kept := int32(0)
	for i := range s.parts { // parts after i are not moved yet
		if p.enter(s.parts, int32(i)); p.level > s.levels {
			p.now[p.level] = -1
			continue
		}
		p.now[p.level] = kept
		s.parts[kept], s.places[kept] = s.parts[i], s.places[i]
		if p.level > 0 {
			s.parts[kept].Parent = p.now[p.level-1]
		}
		kept++
	}
	s.truncate(kept)
	for i := range s.open {
		s.open[i].owner, s.open[i].entry = p.position(s.open[i].owner), p.position(s.open[i].entry)
	}
	s.doc = p.position(s.doc)
	if len(s.open) > s.levels {
		return -1
	}
	return p.position(owner)
}

// path holds the last node of each level while nodes are entered in order. Documents
// are on level 0.
type path struct {
	level int                  // of the node that was entered last
	was   [MaxLevels + 1]int32 // by level: old position of its last node
	now   [MaxLevels + 1]int32 // by level: new position
	count [MaxLevels + 1]int
}

// enter goes to node i. Its parent is the last node of its level, mostly the level of
// the node before it or one next to that.
func (p *path) enter(parts []part.Part, i int32) {
	if up := parts[i].Parent; up < 0 {
		p.level = 0
	} else {
		for p.was[p.level] != up {
			p.level--
		}
		p.level++
	}
	p.was[p.level] = i
}

// position returns the new position of node i, which is the last of its level or -1.
// It returns -1 if the node was dropped.
func (p *path) position(i int32) int32 {
	if i < 0 {
		return -1
	}
	for level, was := range p.was {
		if was == i && p.count[level] > 0 {
			return p.now[level]
		}
	}
	return -1
}
