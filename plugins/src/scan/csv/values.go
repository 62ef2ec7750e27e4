package csvscan

import "encoding/binary"

// values are the distinct texts of a column, numbered from 1 in the order in
// which they first appear.
type values struct {
	slots []uint16 // number by hash; 0 is free
	first []cell
	keys  []uint64
}

// key is a cell itself if it has up to eight bytes, else a mix of its ends: cells
// of other lengths or keys differ.
func key(b []byte, c cell) uint64 {
	start, n := int(c.start), c.size()
	switch {
	case n > 8:
		return (binary.LittleEndian.Uint64(b[start:])*prime ^ binary.LittleEndian.Uint64(b[c.end-8:])) * prime
	case start+8 <= len(b):
		return binary.LittleEndian.Uint64(b[start:]) & (1<<(8*uint(n)) - 1)
	}
	k := uint64(0)
	for i, c := range b[start:c.end] {
		k |= uint64(c) << (8 * i)
	}
	return k
}

const prime = 0x9e3779b97f4a7c15

// is reports whether a cell has the text of value n.
func (v *values) is(n uint16, b []byte, c cell, k uint64) bool {
	known := v.first[n-1]
	return v.keys[n-1] == k && known.size() == c.size() && (c.size() <= 8 || equal(b[known.start:known.end], b[c.start:c.end]))
}

// add returns the number of the value of a cell.
func (v *values) add(b []byte, c cell, k uint64) uint16 {
	if 2*len(v.first) >= len(v.slots) {
		v.grow()
	}
	mask := len(v.slots) - 1
	slot := hash(k) & mask
	for ; v.slots[slot] != 0; slot = (slot + 1) & mask {
		if n := v.slots[slot]; v.is(n, b, c, k) {
			return n
		}
	}
	v.first, v.keys = append(v.first, c), append(v.keys, k)
	v.slots[slot] = uint16(len(v.first))
	return uint16(len(v.first))
}

func hash(key uint64) int { return int(key * prime >> 40) }

func (v *values) grow() {
	v.slots = make([]uint16, max(64, 4*len(v.slots)))
	mask := len(v.slots) - 1
	for i, k := range v.keys {
		slot := hash(k) & mask
		for v.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		v.slots[slot] = uint16(i) + 1
	}
}
