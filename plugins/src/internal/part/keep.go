package part

// Limits select the parts of a Doc that become sections.
type Limits struct {
	Leaf  int // size in bytes up to which a part is not split
	Depth int // number of levels, 1 to 100; a group is on the level of its members
	Parts int // maximum number of parts; deeper levels are dropped to stay below it
}

// Kept are the parts of a Doc that become sections. It takes one byte per part, where a
// list of positions would take four.
type Kept struct {
	Len     int
	depth   []int8 // by part: its level, counted from 1, or 0 if it is dropped
	deepest int8
}

// From returns the position of the first kept part at or after position i, or -1. To
// visit all kept parts:
//
//	for i := kept.From(0); i >= 0; i = kept.From(i + 1) {
func (k *Kept) From(i int) int {
	for ; i < len(k.depth); i++ {
		if level := k.depth[i]; level > 0 && level <= k.deepest {
			return i
		}
	}
	return -1
}

// Keep selects the parts that become sections: those at the top, and those inside kept
// parts that are too large to be leaves.
func (d *Doc) Keep(l Limits) Kept {
	depth := make([]int8, len(d.Parts))
	count := []int{0} // by level
	for i, p := range d.Parts {
		level := int8(1)
		if p.Parent >= 0 {
			if level = depth[p.Parent]; level == 0 || !l.Splits(d.Parts[p.Parent]) {
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
	kept := Kept{depth: depth}
	for level, n := range count {
		if kept.Len+n > l.Parts {
			break
		}
		kept.Len, kept.deepest = kept.Len+n, int8(level)
	}
	return kept
}

// Splits reports whether the parts inside p become sections.
func (l Limits) Splits(p Part) bool {
	switch p.Kind {
	case Group:
		return true
	case Record:
		return p.Size() > 2*l.Leaf
	}
	return p.Size() > l.Leaf
}
