package xmlscan

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// shift is what has been put before a part and all that follow.
type shift struct {
	behind int32 // the parts behind this one are moved
	by     int32 // by so many positions
}

// insert lists the groups of some elements, which stand in the order of the text,
// right behind them. Their children stay in that order and are moved just as far.
func (d *document) insert(found []division) {
	shifts := make([]shift, 0, len(found)+1)
	shifts = append(shifts, shift{behind: -1})
	n := 0
	for _, div := range found {
		n += div.size()
		shifts = append(shifts, shift{div.of, int32(n)})
	}
	old := len(d.parts)
	d.parts = slices.Grow(d.parts, n)[:old+n]
	d.what = slices.Grow(d.what, n)[:old+n]
	d.move(old, shifts)
	d.groups = make([]group, n)
	for k := len(found) - 1; k >= 0; k-- { // what is behind has its groups already
		d.fill(&found[k], int(shifts[k].by))
	}
}

// size is how many parts the groups are.
func (v *division) size() int {
	n := len(v.top.list)
	for _, g := range v.within {
		n += len(g.list)
	}
	return n
}

// move moves the first parts, the last of them first.
func (d *document) move(n int, shifts []shift) {
	k := len(shifts) - 1
	last := int32(-1) // parent that has been looked up
	moved := last
	for i := n - 1; ; i-- {
		for shifts[k].behind >= int32(i) {
			k--
		}
		if k == 0 {
			return
		}
		p := d.parts[i]
		if p.Parent != last {
			last = p.Parent
			moved = position(last, shifts[:k+1])
		}
		p.Parent = moved
		d.parts[i+int(shifts[k].by)], d.what[i+int(shifts[k].by)] = p, d.what[i]
	}
}

// position is where a part stands now. The last of the shifts are those that it
// is probably behind.
func position(i int32, shifts []shift) int32 {
	k := len(shifts) - 1
	for k > 0 && shifts[k].behind >= i {
		k--
	}
	return i + shifts[k].by
}

// fill lists the groups of one element, and makes them the parents of their
// members. There are so many groups before it.
func (d *document) fill(div *division, before int) {
	up := div.of + int32(before)
	at := up + 1
	add := func(g *group, parent int32) {
		g.at = at
		d.parts[at] = part.Part{Parent: parent, Kind: part.Group}
		d.what[at] = isGroup
		d.groups[before] = *g
		at++
		before++
	}
	for k := range div.top.list {
		g := &div.top.list[k]
		add(g, up)
		if div.within != nil {
			for n := range div.within[k].list {
				add(&div.within[k].list[n], g.at)
			}
		}
	}
	seen := make([]int, len(div.top.list)) // members of each group
	n := 0
	for j := int(at); d.holds(int(up), j); j = d.next(j) {
		if !d.isElement(j) {
			continue
		}
		k := int(div.top.of[n]) - 1
		n++
		if k < 0 {
			continue
		}
		d.parts[j].Parent = div.top.list[k].at
		if div.within != nil && len(div.within[k].list) > 0 {
			if g := div.within[k].of[seen[k]]; g > 0 {
				d.parts[j].Parent = div.within[k].list[g-1].at
			}
			seen[k]++
		}
	}
}

// groupAt is the group that part i is.
func (d *document) groupAt(i int) *group {
	k, _ := slices.BinarySearchFunc(d.groups, int32(i), func(g group, i int32) int { return int(g.at - i) })
	return &d.groups[k]
}
