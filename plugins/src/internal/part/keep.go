package part

// Limits say which parts of a Doc become sections.
type Limits struct {
	Leaf  int // size in bytes up to which a part is not split
	Depth int // levels, 1 to 100; a group is on that of its members
	Parts int // parts at most: where there would be more, deeper levels give way
}

// Keep returns the positions of the parts that become sections: those at the
// top, and those inside kept parts that are too large to be leaves.
func (d *Doc) Keep(l Limits) []int32 {
	depth := make([]int8, len(d.Parts)) // by part: its level from 1 on, 0 if it is left out
	count := []int{0}                   // by level
	for i, p := range d.Parts {
		level := int8(1)
		if p.Parent >= 0 {
			if level = depth[p.Parent]; level == 0 || !l.splits(d.Parts[p.Parent]) {
				continue
			}
			if d.Parts[p.Parent].Kind != Group {
				level++
			}
			if int(level) > l.Depth {
				continue
			}
		}
		depth[i] = level
		if int(depth[i]) == len(count) {
			count = append(count, 0)
		}
		count[depth[i]]++
	}
	all, deepest := 0, 0
	for level, n := range count {
		if all+n > l.Parts {
			break
		}
		all, deepest = all+n, level
	}
	kept := make([]int32, 0, all)
	for i, level := range depth {
		if level > 0 && int(level) <= deepest {
			kept = append(kept, int32(i))
		}
	}
	return kept
}

// splits reports whether the parts inside p are wanted.
func (l Limits) splits(p Part) bool {
	switch p.Kind {
	case Group:
		return true
	case Record:
		return p.Size() > 2*l.Leaf
	}
	return p.Size() > l.Leaf
}
