package yaml

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// regroup inserts groups into the list of nodes, each before its members. Nodes move
// in place, because a second list would take as much memory as the text.
func regroup(m *namer, found []*grouping) {
	n := len(m.Parts)
	for _, g := range found {
		n += len(g.groups)
	}
	m.Parts, m.Places = syntax.Reserve(m.Parts, n), syntax.Reserve(m.Places, n)
	r := &regrouper{namer: m, found: found, to: make([]int32, len(m.Parts), n)}
	for i := range r.to {
		r.to[i] = unplaced
	}
	r.placeEntries(-1, -1)
	r.move()
	m.next = r.to // reuse its memory
	m.link()
}

// regrouper computes the new positions of nodes. At first it appends the groups to
// the list.
type regrouper struct {
	*namer
	found []*grouping // by owner, ascending
	to    []int32     // by node: its new position
	at    int32       // the next position
}

const unplaced = -1

// grouping returns the first grouping with an owner in a range of nodes, or nil.
func (r *regrouper) grouping(from, to int32) *grouping {
	i, _ := slices.BinarySearchFunc(r.found, from, func(g *grouping, from int32) int { return int(g.owner - from) })
	if i == len(r.found) || r.found[i].owner >= to {
		return nil
	}
	return r.found[i]
}

// placeEntries places the nodes inside owner, which moves to position in. The levels
// of nodes bound the recursion.
func (r *regrouper) placeEntries(owner, in int32) {
	from, to := r.inside(owner)
	if g := r.grouping(owner, owner+1); g != nil {
		for k := range g.groups {
			at := r.at
			r.Parts = append(r.Parts, part.Part{Parent: in, Kind: part.Group, Form: uint8(syntax.Group) | uint8(syntax.Chosen)})
			r.Places = append(r.Places, syntax.Place{Start: int32(len(r.groups))})
			r.groups = append(r.groups, g.groups[k])
			r.to = append(r.to, at)
			r.at++
			for _, i := range g.groups[k].members {
				r.placeEntry(i, at)
			}
		}
	}
	for i := from; i < to; i = r.next[i] {
		if r.to[i] == unplaced {
			r.placeEntry(i, in)
		}
	}
}

// placeEntry places a node and those inside it, which stay together if there are no
// groups among them.
func (r *regrouper) placeEntry(i, in int32) {
	at, end := r.at, r.next[i]
	r.Parts[i].Parent, r.to[i] = in, at
	if r.grouping(i, end) != nil {
		r.at++
		r.placeEntries(i, at)
		return
	}
	shift := at - i
	for k := i + 1; k < end; k++ {
		r.Parts[k].Parent += shift
		r.to[k] = k + shift
	}
	r.at = end + shift
}

// move moves all nodes to their new positions.
func (r *regrouper) move() {
	for i := range r.to {
		for int(r.to[i]) != i {
			j := r.to[i]
			r.Parts[i], r.Parts[j] = r.Parts[j], r.Parts[i]
			r.Places[i], r.Places[j] = r.Places[j], r.Places[i]
			r.to[i], r.to[j] = r.to[j], j
		}
	}
}
