// Package cell compares and prints the cells of a table without decoding them.
//
// A Cell is a span of the text; two cells are equal if their bytes are. Most cells are
// short, and there are many, so the time of a guest depends on them: the
// functions read a word of eight bytes at a time and call nothing.
package cell

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/mcpctl/mcpctl/plugins/src/internal/number"
)

// Cell is the span of a value in a text. The zero Cell is a missing value.
type Cell struct{ Start, End int32 }

// IsMissing reports whether there is no value.
func (c Cell) IsMissing() bool { return c.End == 0 }

// Size returns the length of the cell in bytes.
func (c Cell) Size() int { return int(c.End - c.Start) }

// Same reports whether two cells of b have the same bytes.
func Same(b []byte, x, y Cell) bool {
	n := int(x.End - x.Start)
	if n != int(y.End-y.Start) {
		return false
	}
	p, q := int(x.Start), int(y.Start)
	for n >= 8 {
		if binary.LittleEndian.Uint64(b[p:]) != binary.LittleEndian.Uint64(b[q:]) {
			return false
		}
		p, q, n = p+8, q+8, n-8
	}
	if p+8 <= len(b) && q+8 <= len(b) {
		differ := binary.LittleEndian.Uint64(b[p:]) ^ binary.LittleEndian.Uint64(b[q:])
		return bits.TrailingZeros64(differ) >= 8*n
	}
	return string(b[p:p+n]) == string(b[q:q+n])
}

// Words is a text that is read a word at a time, without bounds checks: these would
// cost as much as the rest of a loop that compares cells.
type Words struct{ at unsafe.Pointer }

// WordsOf returns b as Words. A word must begin at last or before.
func WordsOf(b []byte) (w Words, last int32) {
	return Words{unsafe.Pointer(unsafe.SliceData(b))}, int32(len(b) - 8)
}

// At returns the eight bytes at p; the first is the lowest.
func (w Words) At(p int32) uint64 { return *(*uint64)(unsafe.Add(w.at, p)) }

// TwoWords returns which words hold all of 1 to 16 bytes: the word at their start and
// the word "rest" bytes after it. Of less than eight bytes the words are the same;
// mask selects the bytes of a word that count.
func TwoWords(size int) (mask uint64, rest int32) {
	rest = int32(size) - 8
	rest &^= rest >> 31
	return ^uint64(0) >> (64 - 8*uint(int32(size)-rest)), rest
}

// Digits returns the number that a cell of one to eight digits represents.
func Digits(b []byte, x Cell) (n uint64, ok bool) {
	size := x.Size()
	if uint(size-1) >= 8 || int(x.Start)+8 > len(b) {
		return 0, false
	}
	zeros := uint64('0'*wide01) >> (8 * uint(size)) // before the number
	return number.EightDigits(binary.LittleEndian.Uint64(b[x.Start:])<<(64-8*uint(size)) | zeros)
}

const prime = 0x9e3779b97f4a7c15

// HashWords returns the hash of a text of up to 24 bytes, given by the words at its
// start, in its middle and at its end. All of them affect the top bits.
func HashWords(head, middle, tail uint64) uint32 {
	return uint32(((head*prime^middle)*prime ^ tail) * prime >> 32)
}

// HashWord returns the hash of a text of up to 8 bytes.
func HashWord(word uint64) uint32 { return uint32((word ^ word>>32) * prime >> 32) }

// Hash returns the hash of a text of any length. Of a long one it covers the first 48
// bytes and the last 24.
func Hash(b []byte) uint32 {
	word := uint64(0)
	switch n := len(b); {
	case n > 24:
		word = uint64(n)
		for at := 0; at < min(n-24, 48); at += 8 {
			word = (word^word>>29)*prime + binary.LittleEndian.Uint64(b[at:])
		}
		return HashWords(word^word>>29^binary.LittleEndian.Uint64(b[n-24:]), binary.LittleEndian.Uint64(b[n-16:]), binary.LittleEndian.Uint64(b[n-8:]))
	case n > 8:
		rest := n - 8
		return HashWords(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[min(rest, 8):]), binary.LittleEndian.Uint64(b[rest:]))
	case n >= 4:
		word = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*n-32)
	case n > 0:
		word = uint64(b[0]) | uint64(b[n/2])<<(n/2*8) | uint64(b[n-1])<<(8*n-8)
	}
	return HashWord(word)
}
