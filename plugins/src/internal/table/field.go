package table

// fields are the names of fields that were met in the rows of a table: a hash
// table. Rows tend to have theirs in one order, so what follows the last one found
// is tried first.
type fields struct {
	list  []field
	next  int
	slots [2 * maxFields]int16 // place in list + 1, by hash; 0 is free
	room  [32]field            // what the list begins with
}

// field is one name, as it is in the text: two are the same if their bytes are.
type field struct {
	head, tail uint64 // its twoWords, if it is short
	front      uint64
	rest       int32
	short      int32 // its size if that is up to 16, else -1
	at         cell  // without the quotes
	count      int32 // rows that have it, of those that were sampled
	column     int32 // its place among the columns, or unplaced or ignored
}

// What a field is that has no column.
const (
	unplaced = -1 // none was asked for yet
	ignored  = -2
)

// maxFields bounds the names that are remembered: rows of ever new ones have no
// common ones.
const maxFields = 256

// reset forgets all.
func (f *fields) reset() {
	f.list, f.next = f.list[:0], 0
	clear(f.slots[:])
}

// find is the field that the cell of b is the name of; a new one is added while
// there is room, else it is nil. It is good until the next one is added.
func (f *fields) find(b []byte, at cell) *field {
	head, tail, short := nameWords(b, at)
	if f.next < len(f.list) {
		if k := &f.list[f.next]; k.head == head && k.tail == tail && k.short == short && (short >= 0 || same(b, k.at, at)) {
			f.next++
			return k
		}
	}
	slot := int(mix(head, head, tail)>>16) % len(f.slots)
	for ; f.slots[slot] != 0; slot = (slot + 1) % len(f.slots) {
		i := int(f.slots[slot])
		if k := &f.list[i-1]; k.head == head && k.tail == tail && k.short == short && (short >= 0 || same(b, k.at, at)) {
			f.next = i
			return k
		}
	}
	switch {
	case len(f.list) == maxFields:
		return nil
	case f.list == nil:
		f.list = f.room[:0]
	}
	added := field{head: head, tail: tail, short: short, at: at, column: unplaced}
	if short >= 0 {
		added.front, added.rest = twoWords(int(short))
	}
	f.list = append(f.list, added)
	f.next = len(f.list)
	f.slots[slot] = int16(f.next)
	return &f.list[f.next-1]
}

// nameWords are the two words of a name of up to 16 bytes, and its size; of a longer
// one its hash, 0 and -1.
func nameWords(b []byte, at cell) (head, tail uint64, short int32) {
	size := at.size()
	if size > 16 {
		return uint64(hash(b[at.start:at.end])), 0, -1
	}
	if text, last := textOf(b); at.start <= last {
		front, rest := twoWords(size)
		return text.word(at.start) & front, text.word(at.start+rest) & front, int32(size)
	}
	for i, c := range b[at.start:at.end] {
		head |= uint64(c) << (8 * i)
	}
	return head, head, int32(size)
}
