// Package grow enlarges slices before their final length is known.
//
// A slice that grows by append allocates about five times its final size in total, and a
// guest never returns memory to its host.
package grow

const (
	minEntries  = 64 // so that short lists are not copied
	factor      = 4  // growth of a list until enough of the text is read to estimate its length
	sampleShare = 32 // one in this many bytes is enough for an estimate
)

// Slice returns a copy of list with a larger capacity. It estimates the final length from
// the part of the text that has been read, read of size bytes; the result is at most limit.
// It is called when a list is full:
//
//	if len(list) == cap(list) {
//		list = grow.Slice(list, at, len(b), maxEntries)
//	}
func Slice[T any](list []T, read, size, limit int) []T {
	n := factor * len(list)
	if read*sampleShare >= size {
		n = len(list) * (size >> 6) / max(1, read>>6)
		n = max(n+n/16, len(list)+len(list)/4) // entries are rarely distributed evenly
	}
	n = max(min(n, limit), minEntries, len(list)+1)
	return append(make([]T, 0, n), list...)
}
