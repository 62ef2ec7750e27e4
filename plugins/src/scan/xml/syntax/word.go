package syntax

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// In WebAssembly a loop iteration costs about as much as its body, so long runs are
// read in words of eight bytes.
const (
	ones   = 0x0101010101010101
	tops   = 0x80 * ones
	blanks = ' ' * ones
)

// Find returns the offset of the next byte that equals one or other, len(b) if there
// is none.
func Find(b []byte, at int, one, other byte) int {
	p, q := ones*uint64(one), ones*uint64(other)
	for at+8 <= len(b) {
		v := binary.LittleEndian.Uint64(b[at:])
		x, y := v^p, v^q // a byte is zero where it equals one or other
		if found := ((x-ones)&^x | (y-ones)&^y) & tops; found != 0 {
			return at + bits.TrailingZeros64(found)>>3
		}
		at += 8
	}
	for at < len(b) && b[at] != one && b[at] != other {
		at++
	}
	return at
}

// SkipSpace returns the offset after white space.
func SkipSpace(b []byte, at int) int {
	for at < len(b) && class[b[at]]&space != 0 {
		at++
		for at+8 <= len(b) { // an indent
			other := binary.LittleEndian.Uint64(b[at:]) ^ blanks
			if other != 0 {
				at += bits.TrailingZeros64(other) >> 3
				break
			}
			at += 8
		}
	}
	return at
}

// isEqual reports whether the n > 0 bytes at two offsets are equal. first is less
// than second.
func isEqual(b []byte, first, second, n int) bool {
	if n <= 8 && second+8 <= len(b) {
		differ := binary.LittleEndian.Uint64(b[first:]) ^ binary.LittleEndian.Uint64(b[second:])
		return differ<<(64-8*n) == 0
	}
	return second+n <= len(b) && bytes.Equal(b[first:first+n], b[second:second+n])
}

// countTags returns how many tags begin in b, without end tags. It counts comments
// and other markup too.
func countTags(b []byte) int {
	const lt, slash = '<' * ones, '/' * ones
	n, at := 0, 0
	for ; at+9 <= len(b); at += 8 {
		x := binary.LittleEndian.Uint64(b[at:]) ^ lt
		y := binary.LittleEndian.Uint64(b[at+1:]) ^ slash
		// The top bit of each byte that is not zero, without a carry to the next byte.
		notLess := (x&^tops + (tops - ones)) | x
		notSlash := (y&^tops + (tops - ones)) | y
		n += bits.OnesCount64(^notLess & notSlash & tops)
	}
	for ; at+1 < len(b); at++ {
		if b[at] == '<' && b[at+1] != '/' {
			n++
		}
	}
	return n
}
