package table

import "encoding/binary"

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
	head   uint64 // its first eight bytes, shifted up if it has less
	at     cell   // without the quotes
	count  int32  // rows that have it, of those that were sampled
	column int32  // its place among the columns, or unplaced or ignored
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
	var head uint64
	start, size := int(at.start), uint(at.end-at.start)
	if start+8 > len(b) {
		head = lastHead(b[start:at.end])
	} else if head = binary.LittleEndian.Uint64(b[start:]); size < 8 {
		head <<= 64 - 8*size
	}
	if f.next < len(f.list) {
		if k := &f.list[f.next]; k.head == head && uint(k.at.end-k.at.start) == size && (size <= 8 || same(b, k.at, at)) {
			f.next++
			return k
		}
	}
	slot := int((head^uint64(size))*prime>>32) % len(f.slots)
	for ; f.slots[slot] != 0; slot = (slot + 1) % len(f.slots) {
		i := int(f.slots[slot])
		if k := &f.list[i-1]; k.head == head && uint(k.at.end-k.at.start) == size && (size <= 8 || same(b, k.at, at)) {
			f.next = i
			return k
		}
	}
	if len(f.list) == maxFields {
		return nil
	}
	f.list = append(f.list, field{head: head, at: at, column: unplaced})
	f.next = len(f.list)
	f.slots[slot] = int16(f.next)
	return &f.list[f.next-1]
}

// lastHead is the head of a name at the end of a text.
func lastHead(name []byte) (head uint64) {
	for _, c := range name[:min(len(name), 8)] {
		head = head>>8 | uint64(c)<<56
	}
	return head
}
