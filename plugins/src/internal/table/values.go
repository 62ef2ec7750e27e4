package table

import (
	"bytes"
	"encoding/binary"
)

// values are the distinct texts of the cells of a column, numbered in the
// order in which they first appear: a hash table over spans.
type values struct {
	t     *Table
	slots []int32 // number of the value + 1, by hash; 0 is free; nil if they are settled
	first []cell  // nil if they are too many
	row   []int32 // where it first appears; nil if they are settled
	count []int32
	of    []int32 // by row: number of its value, -1 if it has none; for a column only
	many  bool    // given up: too many distinct values to group by
	said  int     // of a column: how many values say something
	least int     // of a column: see leastShare
	all   bool    // of a column: they are those of all its cells, none of which is a container
}

// manyValues is how many distinct values of a column are counted before it is
// taken for one without categories.
const manyValues = 1024

// counting is memory for the values of the column that is counted: slices that
// grow would leave their smaller selves behind for each of them.
type counting struct {
	first      [manyValues]cell
	row, count [manyValues]int32
}

func newValues(t *Table) *values { return &values{t: t, slots: t.memory.ints.take(64)} }

// limited is newValues for the values of a column as long as they are not too many.
func limited(t *Table) *values {
	if t.memory.count == nil {
		t.memory.count = new(counting)
	}
	v, c := newValues(t), t.memory.count
	v.first, v.row, v.count = c.first[:0], c.row[:0], c.count[:0]
	return v
}

// sized is newValues for about n distinct texts.
func sized(t *Table, n int) *values {
	slots := 64
	for slots < 2*n {
		slots *= 2
	}
	return &values{
		t: t, slots: t.memory.ints.take(slots),
		first: t.memory.cells.take(n)[:0], row: t.memory.ints.take(n)[:0], count: t.memory.ints.take(n)[:0],
	}
}

// valuesOf returns the values of c, read once. Unless whole is set, a column
// that is no use for groups is given up early, and they are settled.
func (t *Table) valuesOf(c *column, whole bool) *values {
	if c.vals != nil && !(c.vals.many && whole) {
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
	v.said = v.saying()
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
	v.slots, v.row = nil, nil
}

// saying is how many values say something: are neither null nor "".
func (v *values) saying() int {
	n := len(v.first)
	for _, blank := range []string{`""`, "null"} {
		if v.get([]byte(blank)) >= 0 {
			n--
		}
	}
	return n
}

// fill counts the cells of a column. A short one that is the first of its slot,
// as nearly all are, is found without a call.
func (v *values) fill(cells []cell, whole bool) {
	b := v.t.b
	for r, x := range cells {
		if size := uint(x.end - x.start); size-1 < 8 && int(x.start)+8 <= len(b) {
			all := ^uint64(0) >> (64 - 8*size)
			text := binary.LittleEndian.Uint64(b[x.start:]) & all
			if n := v.slots[int(text*prime>>32)&(len(v.slots)-1)] - 1; n >= 0 {
				if f := v.first[n]; uint(f.end-f.start) == size && binary.LittleEndian.Uint64(b[f.start:])&all == text {
					v.count[n]++
					v.of[r] = n
					continue
				}
			}
		}
		v.of[r] = -1
		if !v.t.isScalar(x) {
			continue
		}
		if !whole && len(v.first) == manyValues && v.get(v.t.text(x)) < 0 {
			v.many = true
			return
		}
		v.of[r] = v.add(x, int32(r))
	}
}

// add counts a cell and returns the number of its value.
func (v *values) add(c cell, row int32) int32 {
	if 2*len(v.first) >= len(v.slots) {
		v.grow()
	}
	mask := len(v.slots) - 1
	slot := int(hash(v.t.text(c))) & mask
	for ; v.slots[slot] != 0; slot = (slot + 1) & mask {
		if n := v.slots[slot] - 1; same(v.t.b, v.first[n], c) {
			v.count[n]++
			return n
		}
	}
	v.first, v.row, v.count = append(v.first, c), append(v.row, row), append(v.count, 1)
	v.slots[slot] = int32(len(v.first))
	return int32(len(v.first)) - 1
}

// get returns the number of the value with this text, -1 if there is none.
func (v *values) get(text []byte) int32 { return v.slots[v.find(text)] - 1 }

// find returns the slot that holds text, or the free one where it belongs.
func (v *values) find(text []byte) int {
	mask := len(v.slots) - 1
	for slot := int(hash(text)) & mask; ; slot = (slot + 1) & mask {
		n := v.slots[slot]
		if n == 0 || bytes.Equal(v.t.text(v.first[n-1]), text) {
			return slot
		}
	}
}

func (v *values) grow() {
	small := v.slots
	v.slots = v.t.memory.ints.take(4 * len(small))
	v.t.memory.ints.give(small)
	for i, c := range v.first {
		v.slots[v.find(v.t.text(c))] = int32(i) + 1
	}
}

const prime = 0x9e3779b97f4a7c15

// hash mixes the length and both ends of a text, eight bytes at a time: long
// texts that differ only in the middle are told apart by comparing them. That of
// a text of up to eight bytes is made of these alone.
func hash(b []byte) uint32 {
	switch n := len(b); {
	case n > 8:
		h := (uint64(n)*prime ^ binary.LittleEndian.Uint64(b)) * prime
		if n > 16 {
			h = (h ^ h>>29 ^ binary.LittleEndian.Uint64(b[n-16:])) * prime
		}
		h = (h ^ h>>29 ^ binary.LittleEndian.Uint64(b[n-8:])) * prime
		return uint32(h >> 32)
	case n >= 4:
		return uint32((uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*n-32)) * prime >> 32)
	case n > 0:
		return uint32((uint64(b[0]) | uint64(b[n/2])<<(n/2*8) | uint64(b[n-1])<<(8*n-8)) * prime >> 32)
	}
	return 0
}
