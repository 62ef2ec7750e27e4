package csvscan

import (
	"encoding/binary"
	"math/bits"
)

// index is bytes.IndexByte, which looks at one byte at a time in Go's Wasm.
func index(b []byte, c byte) int {
	at, repeated := 0, uint64(c)*ones
	for ; at+8 <= len(b); at += 8 {
		x := binary.LittleEndian.Uint64(b[at:]) ^ repeated
		if hits := (x - ones) &^ x & tops; hits != 0 {
			return at + bits.TrailingZeros64(hits)>>3
		}
	}
	for ; at < len(b); at++ {
		if b[at] == c {
			return at
		}
	}
	return -1
}

// equal is bytes.Equal for two texts of equal length, of eight bytes or more.
func equal(a, b []byte) bool {
	last := len(a) - 8
	for at := 0; at < last; at += 8 {
		if binary.LittleEndian.Uint64(a[at:]) != binary.LittleEndian.Uint64(b[at:]) {
			return false
		}
	}
	return binary.LittleEndian.Uint64(a[last:]) == binary.LittleEndian.Uint64(b[last:])
}
