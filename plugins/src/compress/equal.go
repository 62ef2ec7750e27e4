package compress

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// firstEqual finds equal texts. It keeps no copies of them.
type firstEqual map[uint64]int32

// add returns the first text with this hash and for which isEqual holds, or i, the number of
// this text, which then is the first of its kind. Of texts with the same hash only the first one
// is found.
func (f firstEqual) add(i int32, hash uint64, isEqual func(j int32) bool) (first int32) {
	j, ok := f[hash]
	if !ok {
		f[hash] = i
		return i
	}
	if isEqual(j) {
		return j
	}
	return i
}

const prime = 0x9e3779b97f4a7c15

// hashText returns a hash of a text that continues another hash. It reads eight bytes at a time.
func hashText(h uint64, b []byte) uint64 {
	h = (h ^ uint64(len(b))) * prime
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^binary.LittleEndian.Uint64(b), 29) * prime
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c), 29) * prime
	}
	return h ^ h>>32
}

// trimLines returns a text without the white space at its end.
func trimLines(b []byte) []byte { return bytes.TrimRight(b, " \t\r\n") }
