// Package room makes room in lists of which nobody knows yet how long they get.
//
// A slice that append grows leaves all its smaller selves behind, five times what
// it holds in the end. Memory of a guest is never given back, so that counts.
package room

const (
	least  = 64 // entries, so that short lists are not moved at all
	factor = 4  // by which a list grows as long as little of the text is read
	enough = 32 // the part of a text that tells of the rest: one in so many bytes
)

// More is list with room for more entries: for as many as a text of so many bytes
// has if the rest of it is like what has been read of it, and no more than most. It
// is for a list that is full:
//
//	if len(list) == cap(list) {
//		list = room.More(list, at, len(b), maxEntries)
//	}
func More[T any](list []T, read, whole, most int) []T {
	n := factor * len(list)
	if read*enough >= whole {
		n = len(list) * (whole >> 6) / max(1, read>>6)
		n = max(n+n/16, len(list)+len(list)/4) // hardly a text is quite even
	}
	n = max(min(n, most), least, len(list)+1)
	return append(make([]T, 0, n), list...)
}
