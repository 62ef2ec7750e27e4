package table

import "github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"

// memory lends slices to one table after another: a text has thousands of small
// tables, and what each would leave behind counts against the guest.
type memory struct {
	cells pool[cell]
	ints  pool[int32]
	tally []int32

	fields  fields
	columns [maxColumns]column
	places  [maxColumns]*column
	members [64]jsonscan.Member // of most rows
}

// counts are n zeros, good until they are asked for again.
func (m *memory) counts(n int) []int32 {
	if n > len(m.tally) {
		m.tally = make([]int32, max(n, poolLeast))
	}
	clear(m.tally[:n])
	return m.tally[:n]
}

// reclaim ends all loans.
func (m *memory) reclaim() {
	m.cells.free = m.cells.all
	m.ints.free = m.ints.all
	m.fields.reset()
}

// pool is memory for slices of one type.
type pool[T any] struct{ all, free []T }

// A pool begins with poolLeast elements and grows to poolMost; a slice that is
// larger has memory of its own.
const (
	poolLeast = 1 << 8
	poolMost  = 1 << 12
)

// take lends n elements, all zero.
func (p *pool[T]) take(n int) []T {
	switch {
	case n > poolMost/4:
		return make([]T, n)
	case n > len(p.free):
		p.all = make([]T, max(poolLeast, n, min(2*len(p.all), poolMost)))
		p.free = p.all
	}
	out := p.free[:n:n]
	p.free = p.free[n:]
	clear(out)
	return out
}
