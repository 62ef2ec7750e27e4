package code

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// stops is a set of bytes that a skip ends at: 1 for each of them. Eight are
// looked up and joined to a mask without a branch: in Wasm a loop that turns for
// every byte takes twice as long.
type stops [256]uint8

// stopsAt are the bytes of set.
func stopsAt(set string) *stops {
	s := new(stops)
	for i := range len(set) {
		s[set[i]] = 1
	}
	return s
}

func (s *stops) has(c byte) bool { return s[c] != 0 }

// next is the offset of the first stop at or after one in b, or at least len(b).
func (s *stops) next(b []byte, at int) int {
	for ; at+8 <= len(b); at += 8 {
		c := (*[8]byte)(b[at:])
		found := uint64(s[c[0]]) | uint64(s[c[1]])<<1 | uint64(s[c[2]])<<2 | uint64(s[c[3]])<<3 |
			uint64(s[c[4]])<<4 | uint64(s[c[5]])<<5 | uint64(s[c[6]])<<6 | uint64(s[c[7]])<<7
		if found != 0 {
			return at + bits.TrailingZeros64(found)
		}
	}
	for at < len(b) && s[b[at]] == 0 {
		at++
	}
	return at
}

const ones = 0x0101010101010101

// blanks is the number of blanks at an offset.
func blanks(b []byte, at int) int {
	start := at
	for ; at+8 <= len(b); at += 8 {
		if other := binary.LittleEndian.Uint64(b[at:]) ^ ' '*ones; other != 0 {
			return at + bits.TrailingZeros64(other)/8 - start
		}
	}
	for at < len(b) && b[at] == ' ' {
		at++
	}
	return at - start
}

// indexByte is the offset of the next c at or after one, or len(b).
func indexByte(b []byte, at int, c byte) int {
	every := uint64(c) * ones
	for ; at+8 <= len(b); at += 8 {
		x := binary.LittleEndian.Uint64(b[at:]) ^ every
		if hit := (x - ones) &^ x & (0x80 * ones); hit != 0 {
			return at + bits.TrailingZeros64(hit)/8
		}
	}
	for at < len(b) && b[at] != c {
		at++
	}
	return min(at, len(b))
}

// after is the offset after the next mark at or after one, or -1. It looks for
// the last byte of the mark, which in "*/" is the rarer one.
func after(b []byte, at int, mark string) int {
	n := len(mark)
	for at += n - 1; ; at++ {
		if at = indexByte(b, at, mark[n-1]); at == len(b) {
			return -1
		}
		if bytes.HasPrefix(b[at-n+1:], []byte(mark)) {
			return at + 1
		}
	}
}
