package column

import (
	"bytes"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
)

// Index finds rows by the text of a cell or by their keys: a hash table of rows. If most
// texts differ, it takes a quarter of the memory of Values.
type Index struct {
	Count       int    // distinct texts
	Informative int    // of a column: texts that are neither null nor ""
	Repeated    RowSet // of a column: rows with a text that another row has too

	s     *Set
	cells []cell.Cell // by row; nil: the keys
	slots []int32     // row + 1 and, above that, a part of its hash; 0 is free; nil after Release
	shift uint8       // of a hash, to get a slot
	width uint8       // bits of a row
}

// newIndex returns an Index with room for that many texts. They may fill three quarters of
// the slots; see sizedValues.
func (s *Set) newIndex(cells []cell.Cell, texts int) *Index {
	slots := 16
	for slots/4*3 < texts {
		slots *= 2
	}
	return &Index{
		s: s, cells: cells, slots: s.Memory.Ints.Get(slots),
		shift: uint8(33 - bits.Len(uint(slots))), width: uint8(bits.Len(uint(s.Len()))),
	}
}

// IndexOf returns the index of the scalars of a column.
func (s *Set) IndexOf(c *Column) *Index {
	if c.index == nil || c.index.slots == nil {
		x := s.newIndex(c.Cells, c.Filled)
		x.Repeated = s.NewRowSet()
		x.fill()
		x.Informative = countInformative(x.Count, x.Row)
		c.index = x
	}
	return c.index
}

// RepeatedIn returns the rows with a scalar in c that another row has too.
func (s *Set) RepeatedIn(c *Column) RowSet {
	if c.index == nil {
		s.IndexOf(c).Release()
	}
	return c.index.Repeated
}

// IndexKeys returns the index of the keys of all rows.
func (s *Set) IndexKeys() *Index {
	x := s.newIndex(nil, s.Len())
	for r := range s.Nodes {
		x.Add(int32(r), cell.Hash(s.Bytes(s.Key(r))))
	}
	return x
}

// IndexSome returns an empty index of a column with room for n texts.
func (s *Set) IndexSome(c *Column, n int) *Index { return s.newIndex(c.Cells, n) }

// Release returns the memory that is needed to add and find rows.
func (x *Index) Release() {
	x.s.Memory.Ints.Put(x.slots)
	x.slots = nil
}

// fill adds the scalars of a column. Most cells of up to 24 bytes are added without a
// call, because their slot is free; see Values.fill.
func (x *Index) fill() {
	words, last := cell.WordsOf(x.s.B)
	for r, c := range x.cells {
		size, sum := c.Size(), uint32(0)
		if uint(size-1) < 8 && c.Start <= last {
			head := words.At(c.Start) & (^uint64(0) >> (64 - 8*uint(size)))
			if byte(head)|0x20 == '{' { // or [
				continue
			}
			sum = cell.HashWord(head)
		} else if uint(size-1) < 24 && c.Start <= last {
			mask, rest := cell.TwoWords(size)
			head := words.At(c.Start) & mask
			if byte(head)|0x20 == '{' { // or [
				continue
			}
			sum = cell.HashWords(head, words.At(c.Start+min(rest, 8))&mask, words.At(c.Start+rest)&mask)
		} else if x.s.IsScalar(c) {
			sum = cell.Hash(x.s.Bytes(c))
		} else {
			continue
		}
		if slot := sum >> x.shift; x.slots[slot] == 0 {
			x.slots[slot] = int32(sum<<x.width) | int32(r+1)
			x.Count++
			continue
		}
		x.Add(int32(r), sum)
	}
}

// Add adds a row; sum is the hash of its text. Of rows with the same text, the first one
// is found.
func (x *Index) Add(row int32, sum uint32) {
	mask, tag := len(x.slots)-1, int32(sum<<x.width)
	for slot := int(sum >> x.shift); ; slot = (slot + 1) & mask {
		entry := x.slots[slot]
		if entry == 0 {
			x.slots[slot] = tag | (row + 1)
			x.Count++
			return
		}
		if (entry^tag)>>x.width != 0 {
			continue
		}
		if first := x.rowIn(entry); cell.Same(x.s.B, x.cell(first), x.cell(row)) {
			if x.Repeated != nil {
				x.Repeated.Add(first)
				x.Repeated.Add(row)
			}
			return
		}
	}
}

// rowIn returns the row of a slot.
func (x *Index) rowIn(slot int32) int32 { return slot&(1<<x.width-1) - 1 }

func (x *Index) cell(row int32) cell.Cell {
	if x.cells == nil {
		return x.s.Key(int(row))
	}
	return x.cells[row]
}

// Row returns the first row with this text, -1 if there is none.
func (x *Index) Row(text []byte) int32 {
	sum, mask := cell.Hash(text), len(x.slots)-1
	tag := int32(sum << x.width)
	for slot := int(sum >> x.shift); ; slot = (slot + 1) & mask {
		entry := x.slots[slot]
		if entry == 0 {
			return -1
		}
		if (entry^tag)>>x.width != 0 {
			continue
		}
		if row := x.rowIn(entry); bytes.Equal(x.s.Bytes(x.cell(row)), text) {
			return row
		}
	}
}

// RowSet is a set of rows, a bit for each.
type RowSet []int32

// NewRowSet returns an empty RowSet.
func (s *Set) NewRowSet() RowSet { return s.Memory.Ints.Get(s.Len()/32 + 1) }

// Add adds a row.
func (s RowSet) Add(row int32) { s[row/32] |= 1 << (row % 32) }

// Has reports whether a row is in the set.
func (s RowSet) Has(row int32) bool { return s[row/32]>>(row%32)&1 != 0 }
