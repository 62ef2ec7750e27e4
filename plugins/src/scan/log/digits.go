package logscan

import (
	"encoding/binary"
	"math/bits"
)

// numbers are the places of a text where two digits stand side by side, as they do
// in each time. Most lines of code and prose have none.
type numbers struct {
	b    []byte
	next int // the first from where it was asked for last; len(b) for none
}

// from finds the first from p on.
func (n *numbers) from(p int) {
	if n.next < p {
		n.next = nextNumber(n.b, p)
	}
}

// none reports whether there are no more.
func (n *numbers) none() bool { return n.next == len(n.b) }

// nextNumber is where two digits stand side by side, as in each time, from p on; the
// length of a text if nowhere. It reads eight bytes at once.
func nextNumber(b []byte, p int) int {
	const ones = 0x0101010101010101
	before := uint64(0) // the mark of the byte before the word
	for ; p+8 <= len(b); p += 8 {
		x := binary.LittleEndian.Uint64(b[p:])
		digits := (x&^tops + (0x80-'0')*ones) &^ (x&^tops + (0x80-'9'-1)*ones) &^ x & tops
		if second := digits & (digits<<8 | before); second != 0 {
			return p + bits.TrailingZeros64(second)/8 - 1
		}
		before = digits >> 56
	}
	for last := before != 0; p < len(b); p++ {
		is := b[p]-'0' <= 9
		if is && last {
			return p - 1
		}
		last = is
	}
	return len(b)
}
