// Package lines finds the lines of a text.
package lines

import (
	"encoding/binary"
	"math/bits"
)

// Functions read words of eight bytes. In Wasm a loop over single bytes, such as
// bytes.IndexByte, takes several times as long.
const (
	ones     = 0x0101010101010101
	tops     = 0x80 * ones
	newlines = '\n' * ones
)

// Start returns the offset of the text after a byte order mark.
func Start(b []byte) int {
	if len(b) >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf {
		return 3
	}
	return 0
}

// End returns the offset after the line that contains p. In a word, a borrow sets marks
// only after a true match, so the first mark is correct.
func End(b []byte, p int) int {
	for ; p+32 <= len(b); p += 32 {
		w := b[p : p+32]
		x := binary.LittleEndian.Uint64(w) ^ newlines // a byte is 0 where a line ends
		if hit := (x - ones) &^ x & tops; hit != 0 {
			return p + bits.TrailingZeros64(hit)/8 + 1
		}
		x = binary.LittleEndian.Uint64(w[8:]) ^ newlines
		if hit := (x - ones) &^ x & tops; hit != 0 {
			return p + bits.TrailingZeros64(hit)/8 + 9
		}
		x = binary.LittleEndian.Uint64(w[16:]) ^ newlines
		if hit := (x - ones) &^ x & tops; hit != 0 {
			return p + bits.TrailingZeros64(hit)/8 + 17
		}
		x = binary.LittleEndian.Uint64(w[24:]) ^ newlines
		if hit := (x - ones) &^ x & tops; hit != 0 {
			return p + bits.TrailingZeros64(hit)/8 + 25
		}
	}
	for ; p < len(b); p++ {
		if b[p] == '\n' {
			return p + 1
		}
	}
	return len(b)
}

// IndexByte is a bytes.IndexByte that is fast in Wasm.
func IndexByte(b []byte, c byte) int {
	at, every := 0, uint64(c)*ones
	for ; at+32 <= len(b); at += 32 { // a borrow sets marks only after a true match
		w := b[at : at+32]
		x, y := binary.LittleEndian.Uint64(w)^every, binary.LittleEndian.Uint64(w[8:])^every
		hits := (x-ones)&^x | (y-ones)&^y
		x, y = binary.LittleEndian.Uint64(w[16:])^every, binary.LittleEndian.Uint64(w[24:])^every
		if (hits|(x-ones)&^x|(y-ones)&^y)&tops != 0 {
			break
		}
	}
	for ; at+8 <= len(b); at += 8 {
		x := binary.LittleEndian.Uint64(b[at:]) ^ every
		if hits := (x - ones) &^ x & tops; hits != 0 {
			return at + bits.TrailingZeros64(hits)/8
		}
	}
	for ; at < len(b); at++ {
		if b[at] == c {
			return at
		}
	}
	return -1
}

// Index is a bytes.Index that is fast in Wasm if the first byte of mark is rare. mark is not empty.
func Index(b []byte, mark string) int {
	for at := 0; ; at++ {
		n := IndexByte(b[at:], mark[0])
		if n < 0 {
			return -1
		}
		if at += n; len(b)-at >= len(mark) && string(b[at:at+len(mark)]) == mark {
			return at
		}
	}
}

// Count returns the number of line ends.
func Count(b []byte) (n int) {
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b) ^ newlines // a byte is 0 where a line ends
		n += bits.OnesCount64(^(((x &^ tops) + (tops - ones)) | x) & tops)
		b = b[8:]
	}
	for _, c := range b {
		if c == '\n' {
			n++
		}
	}
	return n
}

// Counter computes the line numbers of ascending offsets. The first line is 1.
type Counter struct {
	b        []byte
	at, line int
}

// NewCounter returns a Counter over b.
func NewCounter(b []byte) *Counter { return &Counter{b: b, line: 1} }

// Line returns the line number of an offset. The offset must not be less than that of the
// previous call.
func (c *Counter) Line(at int) int {
	c.line += Count(c.b[c.at:at])
	c.at = at
	return c.line
}
