package xml

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// shift is the number of groups that are inserted before a part and all that follow.
type shift struct {
	after int32 // the parts after this one are moved
	by    int32 // by that many positions
}

// insertGroups inserts the groups of each element right after it. Divisions are in the
// order of the text. Parts keep that order too.
func insertGroups(m *namer, found []division) {
	shifts := make([]shift, 0, len(found)+1)
	shifts = append(shifts, shift{after: -1})
	n := 0
	for _, d := range found {
		n += d.size()
		shifts = append(shifts, shift{d.owner, int32(n)})
	}
	old := len(m.Parts)
	m.Parts = slices.Grow(m.Parts, n)[:old+n]
	m.Forms = slices.Grow(m.Forms, n)[:old+n]
	moveParts(m, old, shifts)
	m.groups = make([]group, n)
	for k := len(found) - 1; k >= 0; k-- { // from the end, because m.next needs the groups of later elements
		addGroups(m, &found[k], int(shifts[k].by))
	}
}

// size returns the number of groups.
func (d *division) size() int {
	n := len(d.top.list)
	for _, g := range d.inner {
		n += len(g.list)
	}
	return n
}

// moveParts moves the first n parts, the last of them first.
func moveParts(m *namer, n int, shifts []shift) {
	k := len(shifts) - 1
	last := int32(-1) // the last parent
	moved := last     // and its new position
	for i := n - 1; ; i-- {
		for shifts[k].after >= int32(i) {
			k--
		}
		if k == 0 {
			return
		}
		p := m.Parts[i]
		if p.Parent != last {
			last = p.Parent
			moved = newPosition(last, shifts[:k+1])
		}
		p.Parent = moved
		to := i + int(shifts[k].by)
		m.Parts[to], m.Forms[to] = p, m.Forms[i]
	}
}

// newPosition returns the new position of a part. It searches the shifts from the end.
func newPosition(i int32, shifts []shift) int32 {
	k := len(shifts) - 1
	for k > 0 && shifts[k].after >= i {
		k--
	}
	return i + shifts[k].by
}

// addGroups adds the groups of one element and makes them the parents of their members.
// before is the number of groups of earlier elements.
func addGroups(m *namer, d *division, before int) {
	up := d.owner + int32(before)
	at := up + 1
	add := func(g *group, parent int32) {
		g.part = at
		m.Parts[at] = part.Part{Parent: parent, Kind: part.Group}
		m.Forms[at] = syntax.Group
		m.groups[before] = *g
		at++
		before++
	}
	for k := range d.top.list {
		g := &d.top.list[k]
		add(g, up)
		if d.inner != nil {
			for n := range d.inner[k].list {
				add(&d.inner[k].list[n], g.part)
			}
		}
	}
	seen := make([]int, len(d.top.list)) // members of each group
	n := 0
	for j := int(at); m.contains(int(up), j); j = m.next(j) {
		if !m.isElement(j) {
			continue
		}
		k := d.top.of[n]
		n++
		if k < 0 {
			continue
		}
		m.Parts[j].Parent = d.top.list[k].part
		if d.inner != nil && len(d.inner[k].list) > 0 {
			if g := d.inner[k].of[seen[k]]; g >= 0 {
				m.Parts[j].Parent = d.inner[k].list[g].part
			}
			seen[k]++
		}
	}
}
