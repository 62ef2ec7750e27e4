package column

import (
	"bytes"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/pool"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// Values are the distinct texts of some cells, numbered in the order in which they first
// appear: a hash table over spans.
type Values struct {
	First []cell.Cell // by value: the first cell that has it; nil if Many
	Count []int32     // by value: cells that have it

	// Of a column:
	Of          []int32 // by row: number of its value, -1 if it has none
	Many        bool    // there are too many values to group rows by
	Informative int     // values that are neither null nor ""
	MinShare    int     // see rows.MinShare
	Complete    bool    // all cells are scalars, and all of them are counted

	s     *Set
	slots []int32 // number of the value + 1, by the top bits of its hash; 0 is free; nil after release
	room  int     // values for which there are enough slots
	shift uint8   // of a hash, to get a slot
	sums  []int32 // hashes of the values; nil after release
}

// maxValues is the number of distinct values of a column after which it is considered
// unfit for groups. In a table of more rows, a column is unfit at once if three quarters
// of its first cells differ.
const (
	maxValues  = 1024
	firstCells = 256
)

// counting is memory for the values of the column that is being counted.
type counting struct {
	first       []cell.Cell
	sums, count []int32
}

// NewValues returns empty Values.
func (s *Set) NewValues() *Values {
	v := s.withSlots(64)
	v.First, v.sums, v.Count = s.Memory.Cells.Get(v.room)[:0], s.Memory.Ints.Get(v.room)[:0], s.Memory.Ints.Get(v.room)[:0]
	return v
}

// withSlots returns Values with room for half as many texts as slots, a power of two.
func (s *Set) withSlots(slots int) *Values {
	return &Values{s: s, slots: s.Memory.Ints.Get(slots), shift: uint8(33 - bits.Len(uint(slots))), room: slots / 2}
}

// limitedValues returns Values for a column that is given up if it has too many.
func (s *Set) limitedValues() *Values {
	v, c := s.withSlots(64), &s.Memory.counting
	if n := min(maxValues, pool.Round(s.Len())); n > len(c.first) {
		c.first, c.sums, c.count = make([]cell.Cell, n), make([]int32, n), make([]int32, n)
	}
	v.First, v.sums, v.Count = c.first[:0], c.sums[:0], c.count[:0]
	return v
}

// sizedValues returns Values for up to n distinct texts. They may fill three quarters of
// the slots, because twice as many slots would take an eighth of a text of short records.
func (s *Set) sizedValues(n int) *Values {
	slots := 64
	for slots/4*3 < n {
		slots *= 2
	}
	v := s.withSlots(slots)
	v.room = slots / 4 * 3
	v.First, v.sums, v.Count = s.Memory.Cells.Get(n)[:0], s.Memory.Ints.Get(n)[:0], s.Memory.Ints.Get(n)[:0]
	return v
}

// ValuesOf returns the values of c, which are counted once. Unless all values are asked
// for, a column that is unfit for groups is given up early.
func (s *Set) ValuesOf(c *Column, all bool) *Values {
	if c.values != nil && !(c.values.Many && all) {
		return c.values
	}
	if !all && c.Kinds&^containers == 0 {
		c.values = &Values{s: s, Many: true}
		return c.values
	}
	v := s.limitedValues()
	if all {
		v = s.sizedValues(c.Filled)
	}
	v.Of = s.Memory.Ints.Get(len(c.Cells))
	c.values = v
	v.fill(c.Cells, all)
	v.MinShare = rows.MinShare(c.Name, len(v.First) > 0 && s.IsNumber(v.First[0]))
	v.Informative = countInformative(len(v.First), v.get)
	counted := 0
	for _, n := range v.Count {
		counted += int(n)
	}
	v.Complete = !v.Many && counted == c.Filled
	if !all {
		v.compact()
	}
	return v
}

// compact releases the memory of counting and copies the rest.
func (v *Values) compact() {
	ints := &v.s.Memory.Ints
	ints.Put(v.slots)
	v.slots, v.sums = nil, nil
	if v.Many {
		ints.Put(v.Of)
		v.First, v.Count, v.Of = nil, nil, nil
		return
	}
	v.First = append(v.s.Memory.Cells.Get(len(v.First))[:0], v.First...)
	v.Count = append(ints.Get(len(v.Count))[:0], v.Count...)
}

// countInformative returns how many of n texts are neither null nor "".
func countInformative(n int, find func(text []byte) int32) int {
	if find(emptyText) >= 0 {
		n--
	}
	if find(nullText) >= 0 {
		n--
	}
	return n
}

var emptyText, nullText = []byte(`""`), []byte("null")

// fill counts the cells of a column. A cell of up to 24 bytes is mostly found without a
// call, because it is the first of its slot: one word holds all of it, or three words do.
func (v *Values) fill(cells []cell.Cell, all bool) {
	words, last := cell.WordsOf(v.s.B)
	large := !all && len(cells) > maxValues
	for r, x := range cells {
		v.Of[r] = -1
		size := x.Size()
		if uint(size-1) < 8 && x.Start <= last {
			mask := ^uint64(0) >> (64 - 8*uint(size))
			head := words.At(x.Start) & mask
			if byte(head)|0x20 == '{' { // or [
				continue
			}
			sum := cell.HashWord(head)
			if n := v.slots[sum>>v.shift] - 1; n >= 0 {
				f := &v.First[n]
				if f.Size() == size && words.At(f.Start)&mask == head {
					v.Count[n]++
					v.Of[r] = n
					continue
				}
			}
			v.Of[r] = v.insert(x, sum)
		} else if uint(size-1) < 24 && x.Start <= last {
			mask, rest := cell.TwoWords(size)
			half := min(rest, 8)
			head, middle, tail := words.At(x.Start)&mask, words.At(x.Start+half)&mask, words.At(x.Start+rest)&mask
			if byte(head)|0x20 == '{' { // or [
				continue
			}
			sum := cell.HashWords(head, middle, tail)
			if n := v.slots[sum>>v.shift] - 1; n >= 0 {
				f := &v.First[n]
				if f.Size() == size && ((words.At(f.Start)^head)|(words.At(f.Start+half)^middle)|(words.At(f.Start+rest)^tail))&mask == 0 {
					v.Count[n]++
					v.Of[r] = n
					continue
				}
			}
			v.Of[r] = v.insert(x, sum)
		} else if v.s.IsScalar(x) {
			v.Of[r] = v.insert(x, cell.Hash(v.s.Bytes(x)))
		} else {
			continue
		}
		if len(v.First) > maxValues && !all || large && r >= firstCells && 4*len(v.First) > 3*firstCells {
			v.Many = true
			return
		}
		large = large && r < firstCells
	}
}

// Add counts a cell and returns the number of its value.
func (v *Values) Add(c cell.Cell) int32 { return v.insert(c, cell.Hash(v.s.Bytes(c))) }

// insert is Add for a cell with this hash.
func (v *Values) insert(c cell.Cell, sum uint32) int32 {
	if len(v.First) >= v.room {
		v.grow()
	}
	mask, slot := len(v.slots)-1, int(sum>>v.shift)
	for ; v.slots[slot] != 0; slot = (slot + 1) & mask {
		if n := v.slots[slot] - 1; v.sums[n] == int32(sum) && cell.Same(v.s.B, v.First[n], c) {
			v.Count[n]++
			return n
		}
	}
	v.First = append(v.First, c)
	v.sums = append(v.sums, int32(sum))
	v.Count = append(v.Count, 1)
	v.slots[slot] = int32(len(v.First))
	return int32(len(v.First)) - 1
}

// get returns the number of the value with this text, -1 if there is none.
func (v *Values) get(text []byte) int32 {
	sum, mask := cell.Hash(text), len(v.slots)-1
	for slot := int(sum >> v.shift); ; slot = (slot + 1) & mask {
		n := v.slots[slot] - 1
		if n < 0 || v.sums[n] == int32(sum) && bytes.Equal(v.s.Bytes(v.First[n]), text) {
			return n
		}
	}
}

func (v *Values) grow() {
	small := v.slots
	v.slots = v.s.Memory.Ints.Get(4 * len(small))
	v.shift -= 2
	v.room = len(v.slots) / 2
	v.s.Memory.Ints.Put(small)
	mask := len(v.slots) - 1
	for i, sum := range v.sums {
		slot := int(uint32(sum) >> v.shift)
		for v.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		v.slots[slot] = int32(i) + 1
	}
}

// Tally counts the values of a column over some rows; the last count is that of rows
// without a value. The counts are valid until the next call.
func (v *Values) Tally(rows []int32) []int32 {
	counts := v.s.Memory.Counts(len(v.First) + 2)
	for _, r := range rows {
		counts[v.Of[r]+1]++
	}
	counts[len(counts)-1] = counts[0]
	return counts[1:]
}
