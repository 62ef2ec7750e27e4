package csv

import (
	"encoding/binary"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
)

// values are the distinct texts of a column, numbered from 1 in the order in which
// they first appear.
type values struct {
	slots []uint16 // number by hash; 0 is free
	first []cell.Cell
	keys  []uint64
}

// keyOf returns the text of a cell of up to eight bytes as a word, or a mix of the
// first and last eight bytes. Cells of different keys or sizes differ.
func keyOf(b []byte, c cell.Cell) uint64 {
	start, n := int(c.Start), c.Size()
	switch {
	case n > 8:
		return (binary.LittleEndian.Uint64(b[start:])*prime ^ binary.LittleEndian.Uint64(b[c.End-8:])) * prime
	case start+8 <= len(b):
		return binary.LittleEndian.Uint64(b[start:]) & (1<<(8*uint(n)) - 1)
	}
	k := uint64(0)
	for i, c := range b[start:c.End] {
		k |= uint64(c) << (8 * i)
	}
	return k
}

const prime = 0x9e3779b97f4a7c15

// add returns the number of the value of a cell.
func (v *values) add(b []byte, c cell.Cell) uint16 {
	if 2*len(v.first) >= len(v.slots) {
		v.grow()
	}
	k := keyOf(b, c)
	mask := len(v.slots) - 1
	slot := slotOf(k) & mask
	for ; v.slots[slot] != 0; slot = (slot + 1) & mask {
		n := v.slots[slot]
		if first := v.first[n-1]; v.keys[n-1] == k && first.Size() == c.Size() && (c.Size() <= 8 || cell.Same(b, first, c)) {
			return n
		}
	}
	v.first, v.keys = append(v.first, c), append(v.keys, k)
	v.slots[slot] = uint16(len(v.first))
	return uint16(len(v.first))
}

func slotOf(key uint64) int { return int(key * prime >> 40) }

func (v *values) grow() {
	v.slots = make([]uint16, max(64, 4*len(v.slots)))
	mask := len(v.slots) - 1
	for i, k := range v.keys {
		slot := slotOf(k) & mask
		for v.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		v.slots[slot] = uint16(i) + 1
	}
}
