package yamlscan

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// regroup puts groups into the list of parts, each before its members. Parts move
// in place: a second list would take as much as the text.
func (t *tree) regroup(found []*grouping) {
	n := len(t.parts)
	for _, g := range found {
		n += len(g.groups)
	}
	t.parts, t.nodes = roomy(t.parts, n), roomy(t.nodes, n)
	m := &moves{tree: t, found: found, to: make([]int32, len(t.parts), n)}
	for i := range m.to {
		m.to[i] = unplaced
	}
	m.entries(-1, -1)
	m.swap()
	t.next = m.to // its memory
	t.link()
}

// moves says where parts go. Groups stand behind the others at first.
type moves struct {
	*tree
	found []*grouping // by owner, upwards
	to    []int32     // by part: where it goes
	at    int32       // the next place
}

const unplaced = -1

// grouping is the first of a part from from on, up to to, or nil.
func (m *moves) grouping(from, to int32) *grouping {
	i, _ := slices.BinarySearchFunc(m.found, from, func(g *grouping, from int32) int { return int(g.owner - from) })
	if i == len(m.found) || m.found[i].owner >= to {
		return nil
	}
	return m.found[i]
}

// entries places what stands inside a part, which goes to in. The levels of parts
// bound how deep it calls itself.
func (m *moves) entries(owner, in int32) {
	from, to := m.inside(owner)
	if g := m.grouping(owner, owner+1); g != nil {
		for k := range g.groups {
			at := m.at
			m.parts = append(m.parts, part.Part{Parent: in, Kind: part.Group, Form: uint8(bundle) | uint8(isChosen)})
			m.nodes = append(m.nodes, place{start: int32(len(m.groups))})
			m.groups = append(m.groups, g.groups[k])
			m.to = append(m.to, at)
			m.at++
			for _, i := range g.groups[k].members {
				m.entry(i, at)
			}
		}
	}
	for i := from; i < to; i = m.next[i] {
		if m.to[i] == unplaced {
			m.entry(i, in)
		}
	}
}

// entry places a part and what is inside it, which stays together if no group is
// made there.
func (m *moves) entry(i, in int32) {
	at, end := m.at, m.next[i]
	m.parts[i].Parent, m.to[i] = in, at
	if m.grouping(i, end) != nil {
		m.at++
		m.entries(i, at)
		return
	}
	shift := at - i
	for k := i + 1; k < end; k++ {
		m.parts[k].Parent += shift
		m.to[k] = k + shift
	}
	m.at = end + shift
}

// swap moves all parts to where they go.
func (m *moves) swap() {
	for i := range m.to {
		for int(m.to[i]) != i {
			j := m.to[i]
			m.parts[i], m.parts[j] = m.parts[j], m.parts[i]
			m.nodes[i], m.nodes[j] = m.nodes[j], m.nodes[i]
			m.to[i], m.to[j] = m.to[j], j
		}
	}
}

// roomy is s with room for n in all, and no more.
func roomy[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s
	}
	return append(make([]T, 0, n), s...)
}
