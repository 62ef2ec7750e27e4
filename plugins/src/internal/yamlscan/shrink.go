package yamlscan

// shrink leaves out the deepest levels until an eighth of the room is free, and notes
// no part on them from now on. It returns where a part stands now, or -1.
func (s *scanner) shrink(owner int32) int32 {
	depth, count := s.depths()
	all := 0
	s.levels = 0
	for level, n := range count {
		if all += n; all > len(s.parts)/8*7 {
			break
		}
		s.levels = level
	}
	if cap(s.spare) < len(s.parts) {
		s.spare = make([]int32, len(s.parts))
	}
	moved := s.spare[:len(s.parts)]
	kept := int32(0)
	for i, level := range depth {
		moved[i] = -1
		if int(level) > s.levels {
			continue
		}
		moved[i] = kept
		s.parts[kept], s.nodes[kept] = s.parts[i], s.nodes[i]
		if up := s.parts[i].Parent; up >= 0 {
			s.parts[kept].Parent = moved[up]
		}
		kept++
	}
	s.parts, s.nodes = s.parts[:kept], s.nodes[:kept]
	move := func(at int32) int32 {
		if at >= 0 {
			at = moved[at]
		}
		return at
	}
	for i := range s.open {
		s.open[i].owner, s.open[i].entry = move(s.open[i].owner), move(s.open[i].entry)
	}
	s.doc = move(s.doc)
	if len(s.open) > s.levels {
		return -1
	}
	return move(owner)
}

// depths is the level of each part, documents 0, and how many parts there are on
// each.
func (s *scanner) depths() (depth []int8, count [maxLevels + 1]int) {
	depth = make([]int8, len(s.parts))
	for i := range s.parts {
		if up := s.parts[i].Parent; up >= 0 {
			depth[i] = depth[up] + 1
		}
		count[depth[i]]++
	}
	return depth, count
}
