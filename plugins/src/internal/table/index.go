package table

import (
	"bytes"
	"math/bits"
)

// index finds rows by a text that they have in one place: a hash table of rows. Where
// most texts differ it takes a quarter of what values take.
type index struct {
	t     *Table
	cells []cell  // by row; nil: their keys
	slots []int32 // row + 1 and, above that, a part of its hash; 0 is free; nil if it is settled
	shift uint8   // of a hash, to get a slot
	width uint8   // bits of a row
	count int     // texts
	said  int     // texts that say something; of a column
	twice rowSet  // rows of which another one has the text too; of a column
}

// newIndex returns an index with room for so many texts. They may fill three of four
// slots: twice as many slots would be an eighth of a text of short records.
func newIndex(t *Table, cells []cell, texts int) *index {
	slots := 16
	for slots/4*3 < texts {
		slots *= 2
	}
	return &index{
		t: t, cells: cells, slots: t.memory.ints.take(slots),
		shift: uint8(33 - bits.Len(uint(slots))), width: uint8(bits.Len(uint(len(t.rows)))),
	}
}

// indexOf returns the index of the scalars of a column.
func (t *Table) indexOf(c *column) *index {
	if c.index == nil || c.index.slots == nil {
		x := newIndex(t, c.cells, c.filled)
		x.twice = newRowSet(t)
		x.fill()
		x.said = saying(x.count, x.row)
		c.index = x
	}
	return c.index
}

// indexKeys returns the index of the keys of all rows.
func (t *Table) indexKeys() *index {
	x := newIndex(t, nil, len(t.rows))
	for r := range t.rows {
		x.add(int32(r), hash(t.text(t.key(r))))
	}
	return x
}

// settle gives back what is needed to add rows and to find them.
func (x *index) settle() {
	x.t.memory.ints.give(x.slots)
	x.slots = nil
}

// fill adds the scalars of a column. Those of up to 24 bytes in a slot that is free,
// as most are, are added without a call: see values.fill.
func (x *index) fill() {
	text, last := textOf(x.t.b)
	for r, c := range x.cells {
		size, sum := c.size(), uint32(0)
		if uint(size-1) < 8 && c.start <= last {
			head := text.word(c.start) & (^uint64(0) >> (64 - 8*uint(size)))
			if byte(head)|0x20 == '{' { // or [
				continue
			}
			sum = mixShort(head)
		} else if uint(size-1) < 24 && c.start <= last {
			front, rest := twoWords(size)
			head := text.word(c.start) & front
			if byte(head)|0x20 == '{' { // or [
				continue
			}
			sum = mix(head, text.word(c.start+min(rest, 8))&front, text.word(c.start+rest)&front)
		} else if x.t.isScalar(c) {
			sum = hash(x.t.text(c))
		} else {
			continue
		}
		if slot := sum >> x.shift; x.slots[slot] == 0 {
			x.slots[slot] = int32(sum<<x.width) | int32(r+1)
			x.count++
			continue
		}
		x.add(int32(r), sum)
	}
}

// add adds a row whose text has this hash. Of rows with the same text the first one
// is found.
func (x *index) add(row int32, sum uint32) {
	mask, tag := len(x.slots)-1, int32(sum<<x.width)
	for slot := int(sum >> x.shift); ; slot = (slot + 1) & mask {
		there := x.slots[slot]
		if there == 0 {
			x.slots[slot] = tag | (row + 1)
			x.count++
			return
		}
		if (there^tag)>>x.width != 0 {
			continue
		}
		if first := x.rowIn(there); same(x.t.b, x.cell(first), x.cell(row)) {
			if x.twice != nil {
				x.twice.add(first)
				x.twice.add(row)
			}
			return
		}
	}
}

// rowIn is the row that stands in a slot.
func (x *index) rowIn(slot int32) int32 { return slot&(1<<x.width-1) - 1 }

func (x *index) cell(row int32) cell {
	if x.cells == nil {
		return x.t.key(int(row))
	}
	return x.cells[row]
}

// row is the first row with this text, -1 if there is none.
func (x *index) row(text []byte) int32 {
	sum, mask := hash(text), len(x.slots)-1
	tag := int32(sum << x.width)
	for slot := int(sum >> x.shift); ; slot = (slot + 1) & mask {
		there := x.slots[slot]
		if there == 0 {
			return -1
		}
		if (there^tag)>>x.width != 0 {
			continue
		}
		if row := x.rowIn(there); bytes.Equal(x.t.text(x.cell(row)), text) {
			return row
		}
	}
}

// rowSet is a set of rows, a bit for each.
type rowSet []int32

func newRowSet(t *Table) rowSet { return t.memory.ints.take(len(t.rows)/32 + 1) }

func (s rowSet) add(row int32) { s[row/32] |= 1 << (row % 32) }

func (s rowSet) has(row int32) bool { return s[row/32]>>(row%32)&1 != 0 }
