// Package pool lends slices to short-lived users, one after another.
//
// A guest never returns memory to its host. A text has thousands of small tables, and
// the slices that each of them would leave for the garbage collector count against the
// guest.
package pool

// A Pool begins with minSize elements and grows to maxSize. Larger slices have memory of
// their own.
const (
	minSize = 1 << 8
	maxSize = 1 << 12
)

// Pool lends slices of one type. The zero Pool is ready for use.
type Pool[T any] struct {
	first     [minSize]T // the initial memory
	all, free []T
	returned  [][]T // large slices
}

// Get lends n elements, all zero.
func (p *Pool[T]) Get(n int) []T {
	switch {
	case n > maxSize/4:
		return p.getLarge(n)
	case n > len(p.free) && p.all == nil && n <= minSize:
		p.all, p.free = p.first[:], p.first[:]
	case n > len(p.free):
		p.all = make([]T, Round(max(n, min(2*len(p.all), maxSize))))
		p.free = p.all
	}
	out := p.free[:n:n]
	p.free = p.free[n:]
	clear(out)
	return out
}

func (p *Pool[T]) getLarge(n int) []T {
	for i, s := range p.returned {
		if len(s) >= n {
			p.returned[i] = s[n:]
			clear(s[:n])
			return s[:n:n]
		}
	}
	return make([]T, n)
}

// Put returns a slice. A small one is lent again only after Reclaim.
func (p *Pool[T]) Put(s []T) {
	if s = s[:cap(s)]; len(s) > maxSize/4 {
		p.returned = append(p.returned, s)
	}
}

// Reclaim ends all loans. Large slices are not kept.
func (p *Pool[T]) Reclaim() {
	p.free = p.all
	clear(p.returned)
	p.returned = p.returned[:0]
}

// Round returns the smallest power of two that is at least n and minSize. The allocator
// keeps memory of each size separately; slices of few sizes waste less of it.
func Round(n int) int {
	size := minSize
	for size < n {
		size *= 2
	}
	return size
}
