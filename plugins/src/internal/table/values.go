package table

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// values are the distinct texts of the cells of a column, numbered in the
// order in which they first appear: a hash table over spans.
type values struct {
	t     *Table
	slots []int32 // number of the value + 1, by the top bits of its hash; 0 is free; nil if they are settled
	full  int     // values for which there are slots enough
	shift uint8   // of a hash, to get a slot
	first []cell  // nil if they are too many
	sums  []int32 // their hashes; nil if they are settled
	count []int32
	of    []int32 // by row: number of its value, -1 if it has none; for a column only
	many  bool    // given up: too many distinct values to group by
	said  int     // of a column: how many values say something
	least int     // of a column: see leastShare
	all   bool    // of a column: they are those of all its cells, none of which is a container
}

// manyValues is how many distinct values of a column are counted before it is
// taken for one without categories. In a table of more rows than that, a column of
// which three in four of the first cells differ is taken for one at once.
const (
	manyValues = 1024
	firstCells = 256
)

// counting is memory for the values of the column that is counted: slices that
// grow would leave their smaller selves behind for each of them.
type counting struct {
	first       []cell
	sums, count []int32
}

// newValues returns values with room for some texts.
func newValues(t *Table) *values {
	v := withSlots(t, 64)
	v.first, v.sums, v.count = t.memory.cells.take(v.full)[:0], t.memory.ints.take(v.full)[:0], t.memory.ints.take(v.full)[:0]
	return v
}

// withSlots is newValues with room for half as many texts as slots, a power of two.
func withSlots(t *Table, slots int) *values {
	return &values{t: t, slots: t.memory.ints.take(slots), shift: uint8(33 - bits.Len(uint(slots))), full: slots / 2}
}

// limited is newValues for the values of a column as long as they are not too many.
func limited(t *Table) *values {
	v, c := withSlots(t, 64), &t.memory.count
	if n := min(manyValues, whole(len(t.rows))); n > len(c.first) {
		c.first, c.sums, c.count = make([]cell, n), make([]int32, n), make([]int32, n)
	}
	v.first, v.sums, v.count = c.first[:0], c.sums[:0], c.count[:0]
	return v
}

// sized is newValues for up to n distinct texts. Many of them may fill three of four
// slots: twice as many slots would be an eighth of a text of short records.
func sized(t *Table, n int) *values {
	slots := 64
	for slots/4*3 < n {
		slots *= 2
	}
	v := withSlots(t, slots)
	v.full = slots / 4 * 3
	v.first, v.sums, v.count = t.memory.cells.take(n)[:0], t.memory.ints.take(n)[:0], t.memory.ints.take(n)[:0]
	return v
}

// valuesOf returns the values of c, read once. Unless whole is set, a column
// that is no use for groups is given up early, and they are settled.
func (t *Table) valuesOf(c *column, whole bool) *values {
	if c.vals != nil && !(c.vals.many && whole) {
		return c.vals
	}
	if !whole && c.kinds.only(containers) {
		c.vals = &values{t: t, many: true}
		return c.vals
	}
	v := limited(t)
	if whole {
		v = sized(t, c.filled)
	}
	v.of = t.memory.ints.take(len(c.cells))
	c.vals = v
	v.fill(c.cells, whole)
	v.least = t.leastShare(c, v)
	v.said = saying(len(v.first), v.get)
	counted := 0
	for _, n := range v.count {
		counted += int(n)
	}
	v.all = !v.many && counted == c.filled
	if !whole {
		v.keep()
	}
	return v
}

// keep gives the values memory of their own, as much as they need.
func (v *values) keep() {
	v.settle()
	if v.many {
		v.t.memory.ints.give(v.of)
		v.first, v.count, v.of = nil, nil, nil
		return
	}
	v.first = append(v.t.memory.cells.take(len(v.first))[:0], v.first...)
	v.count = append(v.t.memory.ints.take(len(v.count))[:0], v.count...)
}

// settle gives back what is needed to add values and to find them.
func (v *values) settle() {
	v.t.memory.ints.give(v.slots)
	v.slots, v.sums = nil, nil
}

// saying is how many of so many texts say something: are neither null nor "".
func saying(n int, find func(text []byte) int32) int {
	if find(blankText) >= 0 {
		n--
	}
	if find(blankNull) >= 0 {
		n--
	}
	return n
}

var blankText, blankNull = []byte(`""`), []byte("null")

// fill counts the cells of a column. One of up to 24 bytes that is the first of
// its slot, as nearly all are, is found without a call: one word is all of it, or
// three are.
func (v *values) fill(cells []cell, whole bool) {
	text, last := textOf(v.t.b)
	large := !whole && len(cells) > manyValues
	for r, x := range cells {
		v.of[r] = -1
		size := x.size()
		if uint(size-1) < 8 && x.start <= last {
			front := ^uint64(0) >> (64 - 8*uint(size))
			head := text.word(x.start) & front
			if byte(head)|0x20 == '{' { // or [
				continue
			}
			sum := mixShort(head)
			if n := v.slots[sum>>v.shift] - 1; n >= 0 {
				f := &v.first[n]
				if f.size() == size && text.word(f.start)&front == head {
					v.count[n]++
					v.of[r] = n
					continue
				}
			}
			v.of[r] = v.insert(x, sum)
		} else if uint(size-1) < 24 && x.start <= last {
			front, rest := twoWords(size)
			half := min(rest, 8)
			head, middle, tail := text.word(x.start)&front, text.word(x.start+half)&front, text.word(x.start+rest)&front
			if byte(head)|0x20 == '{' { // or [
				continue
			}
			sum := mix(head, middle, tail)
			if n := v.slots[sum>>v.shift] - 1; n >= 0 {
				f := &v.first[n]
				if f.size() == size && ((text.word(f.start)^head)|(text.word(f.start+half)^middle)|(text.word(f.start+rest)^tail))&front == 0 {
					v.count[n]++
					v.of[r] = n
					continue
				}
			}
			v.of[r] = v.insert(x, sum)
		} else if v.t.isScalar(x) {
			v.of[r] = v.insert(x, hash(v.t.text(x)))
		} else {
			continue
		}
		if len(v.first) > manyValues && !whole || large && r >= firstCells && 4*len(v.first) > 3*firstCells {
			v.many = true
			return
		}
		large = large && r < firstCells
	}
}

// add counts a cell and returns the number of its value.
func (v *values) add(c cell) int32 { return v.insert(c, hash(v.t.text(c))) }

// insert is add for a cell that has this hash.
func (v *values) insert(c cell, sum uint32) int32 {
	if len(v.first) >= v.full {
		v.grow()
	}
	mask, slot := len(v.slots)-1, int(sum>>v.shift)
	for ; v.slots[slot] != 0; slot = (slot + 1) & mask {
		if n := v.slots[slot] - 1; v.sums[n] == int32(sum) && same(v.t.b, v.first[n], c) {
			v.count[n]++
			return n
		}
	}
	v.first = append(v.first, c) // one by one: of several at once Go stores the slices anew
	v.sums = append(v.sums, int32(sum))
	v.count = append(v.count, 1)
	v.slots[slot] = int32(len(v.first))
	return int32(len(v.first)) - 1
}

// get returns the number of the value with this text, -1 if there is none.
func (v *values) get(text []byte) int32 {
	sum, mask := hash(text), len(v.slots)-1
	for slot := int(sum >> v.shift); ; slot = (slot + 1) & mask {
		n := v.slots[slot] - 1
		if n < 0 || v.sums[n] == int32(sum) && bytes.Equal(v.t.text(v.first[n]), text) {
			return n
		}
	}
}

func (v *values) grow() {
	small := v.slots
	v.slots = v.t.memory.ints.take(4 * len(small))
	v.shift -= 2
	v.full = len(v.slots) / 2
	v.t.memory.ints.give(small)
	mask := len(v.slots) - 1
	for i, sum := range v.sums {
		slot := int(uint32(sum) >> v.shift)
		for v.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		v.slots[slot] = int32(i) + 1
	}
}

const prime = 0x9e3779b97f4a7c15

// mix is the hash of a text of up to 24 bytes, given by the words at its start, in
// its middle and at its end. All of them count in the top bits.
func mix(head, middle, tail uint64) uint32 {
	return uint32(((head*prime^middle)*prime ^ tail) * prime >> 32)
}

// mixShort is the hash of a text of up to 8 bytes.
func mixShort(word uint64) uint32 { return uint32((word ^ word>>32) * prime >> 32) }

// hash mixes a text of any length, of a long one the first 48 bytes and the last
// 24: those that differ only in the middle are told apart by comparing them.
func hash(b []byte) uint32 {
	word := uint64(0)
	switch n := len(b); {
	case n > 24:
		word = uint64(n)
		for at := 0; at < min(n-24, 48); at += 8 {
			word = (word^word>>29)*prime + binary.LittleEndian.Uint64(b[at:])
		}
		return mix(word^word>>29^binary.LittleEndian.Uint64(b[n-24:]), binary.LittleEndian.Uint64(b[n-16:]), binary.LittleEndian.Uint64(b[n-8:]))
	case n > 8:
		rest := n - 8
		return mix(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[min(rest, 8):]), binary.LittleEndian.Uint64(b[rest:]))
	case n >= 4:
		word = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*n-32)
	case n > 0:
		word = uint64(b[0]) | uint64(b[n/2])<<(n/2*8) | uint64(b[n-1])<<(8*n-8)
	}
	return mixShort(word)
}
