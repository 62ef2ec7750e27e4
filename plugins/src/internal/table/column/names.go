package column

import "github.com/mcpctl/mcpctl/plugins/src/internal/cell"

// Fields that name rows. Each of them becomes a column even if few rows have it.
var (
	// TitleFields are shown in the title of a row.
	TitleFields = []string{"id", "name", "title", "label", "key", "entity_id", "type", "kind"}
	// FallbackFields are shown if the title fields show only the id.
	FallbackFields = []string{"_id", "uid", "_type", "login", "subject", "summary", "text", "message", "description", "path", "url"}
	// DisplayFields hold the name that people use for a row.
	DisplayFields = []string{"name", "title", "label", "subject", "summary", "text", "message", "description"}
)

// IsNaming reports whether a field is one of TitleFields and FallbackFields.
func IsNaming(name string) bool {
	switch name {
	case "id", "name", "title", "label", "key", "entity_id", "type", "kind",
		"_id", "uid", "_type", "login", "subject", "summary", "text", "message", "description", "path", "url":
		return true
	}
	return false
}

// nameBit returns one of 64 bits for a name. The union of the bits of all columns shows
// quickly that a table lacks most names.
func nameBit(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((uint(len(name))*5 + uint(name[0])) % 64)
}

// names holds the names of the fields that rows have: a hash table. Most rows have their
// fields in the same order, so the name after the last one found is tried first.
type names struct {
	list  []field
	next  int
	slots [2 * maxNames]int16 // position in list + 1, by hash; 0 is free
	room  [32]field           // initial memory of list
}

// field is a name as it is written in the text.
type field struct {
	head, tail uint64 // of a short name: see cell.TwoWords
	mask       uint64
	rest       int32
	short      int32 // size of a name of up to 16 bytes, else -1
	at         cell.Cell
	count      int32 // sampled rows that have the field
	column     int32 // position of its column, or undecided or ignored
}

// Values of field.column for fields without a column.
const (
	undecided = -1
	ignored   = -2
)

// maxNames bounds the names that are stored: rows that always have new ones have no
// common fields.
const maxNames = 256

func (n *names) reset() {
	n.list, n.next = n.list[:0], 0
	clear(n.slots[:])
}

// find returns the field with the name at a cell of b, without quotes. It adds a new field,
// or returns nil if there is no room. The field is valid until the next one is added.
func (n *names) find(b []byte, at cell.Cell) *field {
	head, tail, short := nameWords(b, at)
	if n.next < len(n.list) {
		if f := &n.list[n.next]; f.head == head && f.tail == tail && f.short == short && (short >= 0 || cell.Same(b, f.at, at)) {
			n.next++
			return f
		}
	}
	slot := int(cell.HashWords(head, head, tail)>>16) % len(n.slots)
	for ; n.slots[slot] != 0; slot = (slot + 1) % len(n.slots) {
		i := int(n.slots[slot])
		if f := &n.list[i-1]; f.head == head && f.tail == tail && f.short == short && (short >= 0 || cell.Same(b, f.at, at)) {
			n.next = i
			return f
		}
	}
	switch {
	case len(n.list) == maxNames:
		return nil
	case n.list == nil:
		n.list = n.room[:0]
	}
	added := field{head: head, tail: tail, short: short, at: at, column: undecided}
	if short >= 0 {
		added.mask, added.rest = cell.TwoWords(int(short))
	}
	n.list = append(n.list, added)
	n.next = len(n.list)
	n.slots[slot] = int16(n.next)
	return &n.list[n.next-1]
}

// nameWords returns the two words of a name of up to 16 bytes, and its size; of a longer
// name its hash, 0 and -1.
func nameWords(b []byte, at cell.Cell) (head, tail uint64, short int32) {
	size := at.Size()
	if size > 16 {
		return uint64(cell.Hash(b[at.Start:at.End])), 0, -1
	}
	if words, last := cell.WordsOf(b); at.Start <= last {
		mask, rest := cell.TwoWords(size)
		return words.At(at.Start) & mask, words.At(at.Start+rest) & mask, int32(size)
	}
	for i, c := range b[at.Start:at.End] {
		head |= uint64(c) << (8 * i)
	}
	return head, head, int32(size)
}
