package table

// memory lends slices to one table after another: a text has thousands of small
// tables, and what each would leave behind counts against the guest.
type memory struct {
	cells pool[cell]
	ints  pool[int32]
}

// reclaim ends all loans.
func (m *memory) reclaim() {
	m.cells.free = m.cells.all
	m.ints.free = m.ints.all
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
