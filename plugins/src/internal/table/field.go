package table

// fields are the names of fields that were met in the rows of a table: a hash
// table. Rows tend to have theirs in one order, so what follows the last one found
// is tried first.
type fields struct {
	list  []field
	next  int
	slots [2 * maxFields]int16 // place in list + 1, by hash; 0 is free
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
	name := newField(b, at)
	if f.next < len(f.list) {
		if k := &f.list[f.next]; name.equals(k, b) {
			f.next++
			return k
		}
	}
	slot := int(mix(name.head, name.head, name.tail)>>16) % len(f.slots)
	for ; f.slots[slot] != 0; slot = (slot + 1) % len(f.slots) {
		i := int(f.slots[slot])
		if k := &f.list[i-1]; name.equals(k, b) {
			f.next = i
			return k
		}
	}
	if len(f.list) == maxFields {
		return nil
	}
	f.list = append(f.list, name)
	f.next = len(f.list)
	f.slots[slot] = int16(f.next)
	return &f.list[f.next-1]
}

// newField is a field of the name in the cell of b.
func newField(b []byte, at cell) field {
	f := field{at: at, short: -1, column: unplaced}
	if at.size() > 16 {
		f.head = uint64(hash(b[at.start:at.end]))
		return f
	}
	f.short = int32(at.size())
	f.front, f.rest = twoWords(at.size())
	if text, last := textOf(b); at.start <= last {
		f.head, f.tail = text.word(at.start)&f.front, text.word(at.start+f.rest)&f.front
		return f
	}
	for i, c := range b[at.start:at.end] {
		f.head |= uint64(c) << (8 * i)
	}
	f.tail = f.head
	return f
}

func (f *field) equals(o *field, b []byte) bool {
	return f.head == o.head && f.tail == o.tail && f.short == o.short && (f.short >= 0 || same(b, f.at, o.at))
}
