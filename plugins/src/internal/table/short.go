package table

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Most cells are short and plain; what is done for every one of them is done
// here in loops of eight bytes that call nothing.
const (
	wide01 = 0x0101010101010101
	wide20 = 0x20 * wide01
	wide5c = 0x5c * wide01
	wide80 = 0x80 * wide01
)

// appendPlain appends b[start:end] if that is how a line shows it: ASCII words
// with single blanks between them, without an escape. Not ok: nothing was
// appended, and the text may be plain all the same.
//
// The words are read and written without a check of their own, as those of text are.
func (t *Table) appendPlain(dst []byte, start, end int) (out []byte, ok bool) {
	at := len(dst)
	if start >= end || end+8 > len(t.b) || cap(dst)-at < end-start+8 || t.b[end-1] == ' ' {
		return dst, false
	}
	text, _ := textOf(t.b)
	room := unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), at)
	gap := uint64(0x80) // a blank at the start is not plain
	for p := start; p < end; p += 8 {
		x := text.word(int32(p))
		*(*uint64)(unsafe.Add(room, p-start)) = x
		if n := end - p; n < 8 { // what is behind the end is taken for letters
			behind := ^uint64(0) << (8 * uint(n) & 63)
			x = x&^behind | 'a'*wide01&behind
		}
		other, slash := x^wide20, x^wide5c
		blanks := ^(((other &^ wide80) + (wide80 - wide01)) | other) & wide80
		if ((x-wide20)|(x+wide01)|x|(slash-wide01)&^slash|blanks&(blanks<<8|gap))&wide80 != 0 {
			return dst, false
		}
		gap = blanks >> 56
	}
	return dst[:at+end-start], true
}

// escaped reports whether a backslash is in b[start:end].
func escaped(b []byte, start, end int) bool {
	for ; start < end && start+8 <= len(b); start += 8 {
		slash := binary.LittleEndian.Uint64(b[start:]) ^ wide5c
		if hit := (slash - wide01) &^ slash & wide80; hit != 0 {
			return start+bits.TrailingZeros64(hit)>>3 < end
		}
	}
	for ; start < end; start++ {
		if b[start] == '\\' {
			return true
		}
	}
	return false
}

// same reports whether two cells of b have the same bytes.
func same(b []byte, x, y cell) bool {
	n := int(x.end - x.start)
	if n != int(y.end-y.start) {
		return false
	}
	p, q := int(x.start), int(y.start)
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

// text is memory that is read a word at a time. It is read without a check: that
// costs as much as the rest of a loop that compares cells.
type text struct{ at unsafe.Pointer }

// textOf is b as text; words begin at last or before.
func textOf(b []byte) (t text, last int32) {
	return text{unsafe.Pointer(unsafe.SliceData(b))}, int32(len(b) - 8)
}

// word is the eight bytes at p, which must all be in the text; the first is the
// lowest.
func (t text) word(p int32) uint64 { return *(*uint64)(unsafe.Add(t.at, p)) }

// twoWords say where all of 1 to 16 bytes is: in the word at their start and in
// that "rest" bytes on. Of less than eight bytes these are the same, and front is
// what they fill of it.
func twoWords(size int) (front uint64, rest int32) {
	rest = int32(size) - 8
	rest &^= rest >> 31
	return ^uint64(0) >> (64 - 8*uint(int32(size)-rest)), rest
}

// digits is the number that a cell of one to eight digits is.
func digits(b []byte, x cell) (n uint64, ok bool) {
	size := x.size()
	if uint(size-1) >= 8 || int(x.start)+8 > len(b) {
		return 0, false
	}
	n = (binary.LittleEndian.Uint64(b[x.start:]) ^ '0'*wide01) << (64 - 8*uint(size)) // leading zeros
	if ((n+0x76*wide01)|n)&wide80 != 0 {
		return 0, false
	}
	n = n*10 + n>>8                             // numbers of two digits, in every second byte
	n = n & 0x00ff00ff00ff00ff * 0x640001 >> 16 // of four
	return n & 0x0000ffff0000ffff * 0x271000000001 >> 32, true
}
