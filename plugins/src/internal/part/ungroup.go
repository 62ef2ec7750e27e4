package part

import (
	"cmp"
	"slices"
)

// Ungrouped returns d without groups: their members are in text order, in the nearest
// parent that is no group.
func (d *Doc) Ungrouped() *Doc {
	order := make([]int32, 0, len(d.Parts))
	for i, p := range d.Parts {
		if p.Kind != Group {
			order = append(order, int32(i))
		}
	}
	if len(order) == len(d.Parts) {
		return d
	}
	// Nested spans are in the order of a Doc once they are sorted by their bytes, with
	// parents before equal children.
	slices.SortFunc(order, func(i, j int32) int {
		a, b := d.Parts[i], d.Parts[j]
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(i, j))
	})
	at := make([]int32, len(d.Parts)) // by part of d: its new position
	flat := *d
	flat.By = ""
	flat.Parts = make([]Part, len(order))
	for to, from := range order {
		p := d.Parts[from]
		for p.Parent >= 0 && d.Parts[p.Parent].Kind == Group {
			p.Parent = d.Parts[p.Parent].Parent
		}
		if p.Parent >= 0 {
			p.Parent = at[p.Parent]
		}
		at[from], flat.Parts[to] = int32(to), p
	}
	flat.Name = func(i int, n *Name) { d.Name(int(order[i]), n) }
	return &flat
}
