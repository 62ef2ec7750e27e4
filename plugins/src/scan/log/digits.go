package log

import (
	"encoding/binary"
	"math/bits"
)

// digitPairs finds two adjacent digits, which each time contains. Most lines of code and
// prose contain none.
type digitPairs struct {
	b    []byte
	next int // offset of the first pair from the offset of the last search on; len(b) for none
}

// find finds the first pair from p on.
func (d *digitPairs) find(p int) {
	if d.next < p {
		d.next = indexDigits(d.b, p)
	}
}

// isEmpty reports whether there are no more pairs.
func (d *digitPairs) isEmpty() bool { return d.next == len(d.b) }

// indexDigits returns the offset of the first two adjacent digits from p on, or the
// length of the text. It reads eight bytes at a time.
func indexDigits(b []byte, p int) int {
	const ones = 0x0101010101010101
	before := uint64(0) // whether the byte before the word is a digit
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
