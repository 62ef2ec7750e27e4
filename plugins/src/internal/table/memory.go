package table

import "github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"

// memory lends slices to one table after another: a text has thousands of small
// tables, and what each would leave behind counts against the guest.
type memory struct {
	cells pool[cell]
	ints  pool[int32]
	tally []int32
	count counting

	fields  fields
	columns [maxColumns]column
	places  [maxColumns]*column
	lists   [2 * maxColumns]*column
	members []jsonscan.Member // of most rows
	inner   []jsonscan.Member // of an object in one
}

// counts are n zeros, good until they are asked for again.
func (m *memory) counts(n int) []int32 {
	if n > len(m.tally) {
		m.tally = make([]int32, whole(n))
	}
	clear(m.tally[:n])
	return m.tally[:n]
}

// reclaim ends all loans.
func (m *memory) reclaim() {
	m.cells.reclaim()
	m.ints.reclaim()
	m.fields.reset()
}

// pool is memory for slices of one type.
type pool[T any] struct {
	first     [poolLeast]T // what it begins with
	all, free []T
	back      [][]T // large slices that were given back
}

// A pool begins with poolLeast elements and grows to poolMost; a slice that is
// larger has memory of its own.
const (
	poolLeast = 1 << 8
	poolMost  = 1 << 12
)

// whole is the least power of two from poolLeast on that n is not above. Go keeps
// memory of each size apart: sizes of many kinds would leave a part of it unused
// for each, and only these fill what is set aside for them.
func whole(n int) int {
	size := poolLeast
	for size < n {
		size *= 2
	}
	return size
}

// take lends n elements, all zero.
func (p *pool[T]) take(n int) []T {
	switch {
	case n > poolMost/4:
		return p.takeLarge(n)
	case n > len(p.free) && p.all == nil && n <= poolLeast:
		p.all, p.free = p.first[:], p.first[:]
	case n > len(p.free):
		p.all = make([]T, whole(max(n, min(2*len(p.all), poolMost))))
		p.free = p.all
	}
	out := p.free[:n:n]
	p.free = p.free[n:]
	clear(out)
	return out
}

func (p *pool[T]) takeLarge(n int) []T {
	for i, s := range p.back {
		if len(s) >= n {
			p.back[i] = s[n:]
			clear(s[:n])
			return s[:n:n]
		}
	}
	return make([]T, n)
}

// give ends the loan of one slice. A small one waits until all of them end.
func (p *pool[T]) give(s []T) {
	if s = s[:cap(s)]; len(s) > poolMost/4 {
		p.back = append(p.back, s)
	}
}

// reclaim ends all loans. Large slices are not kept for other tables.
func (p *pool[T]) reclaim() {
	p.free = p.all
	clear(p.back)
	p.back = p.back[:0]
}
