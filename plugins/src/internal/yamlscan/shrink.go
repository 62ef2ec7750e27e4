package yamlscan

import "github.com/mcpctl/mcpctl/plugins/src/internal/part"

// shrink leaves out the deepest levels until an eighth of the room is free, and notes
// no part on them from now on. It returns where a part stands now, or -1.
//
// Parts are moved in place, and of where they went only the last of each level is
// remembered: what comes next is inside one of those, and so is all that is open. A list
// by part would be a third as long again as the parts themselves.
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
	for i := range s.parts { // those behind i stand where they stood
		if p.enter(s.parts, int32(i)); p.level > s.levels {
			p.now[p.level] = -1
			continue
		}
		p.now[p.level] = kept
		s.parts[kept], s.nodes[kept] = s.parts[i], s.nodes[i]
		if p.level > 0 {
			s.parts[kept].Parent = p.now[p.level-1]
		}
		kept++
	}
	s.parts, s.nodes = s.parts[:kept], s.nodes[:kept]
	for i := range s.open {
		s.open[i].owner, s.open[i].entry = p.moved(s.open[i].owner), p.moved(s.open[i].entry)
	}
	s.doc = p.moved(s.doc)
	if len(s.open) > s.levels {
		return -1
	}
	return p.moved(owner)
}

// path is the last part of each level, documents on level 0, as parts are entered in
// order.
type path struct {
	level int // of the part that was entered last
	was   [maxLevels + 1]int32
	now   [maxLevels + 1]int32
	count [maxLevels + 1]int
}

// enter goes to part i. Its parent is the last part of some level, mostly of that of the
// part before it or one next to that.
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

// moved is where a part stands now that is the last of its level or none, -1 if it was
// left out.
func (p *path) moved(at int32) int32 {
	if at < 0 {
		return -1
	}
	for level, was := range p.was {
		if was == at && p.count[level] > 0 {
			return p.now[level]
		}
	}
	return -1
}
