package lex

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

const ones = 0x0101010101010101

// countBlanks returns the number of blanks at an offset.
func countBlanks(b []byte, at int) int {
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

// indexByte returns the offset of the next c at or after an offset, or len(b).
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

// endOf returns the offset after the next mark at or after an offset, or -1. It searches for
// the last byte of the mark, which in "*/" is the rarer one.
func endOf(b []byte, at int, mark string) int {
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

// hasMark is bytes.HasPrefix(b[at:], mark). Most marks are one or two bytes long, for which
// two calls would be too slow.
func hasMark(b []byte, at int, mark string) bool {
	end := at + len(mark)
	return end <= len(b) && b[at] == mark[0] && b[end-1] == mark[len(mark)-1] && (len(mark) <= 2 || string(b[at:end]) == mark)
}

// IsSpace reports whether c is ASCII white space.
func IsSpace(c byte) bool { return c == ' ' || c-'\t' < 5 }
