// Package caption makes short lines of text: titles and counts.
package caption

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Of returns the start of a text as one line of at most max bytes. White space and control
// characters become single blanks, and three dots replace the rest of a longer text.
// Terminal control sequences are removed.
func Of(text []byte, max int) string {
	var room [96]byte // long enough for most captions
	return string(Append(room[:0], text, max))
}

// Append appends Of(text, max) to dst.
func Append(dst, text []byte, max int) []byte {
	start := len(dst)
	for gap := false; len(text) > 0 && len(dst)-start <= max; {
		n := 0
		if text[0] < utf8.RuneSelf {
			n = plainSize(text[:min(len(text), max+1)])
		} else {
			n = lettersSize(text[:min(len(text), max+1)])
		}
		if n == 0 {
			r, width := utf8.DecodeRune(text)
			if r < utf8.RuneSelf || r == utf8.RuneError || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) {
				if n := sequenceSize(text); n > 0 {
					text = text[n:]
					continue
				}
				gap = len(dst) > start
				text = text[width:]
				continue
			}
			n = width
		}
		if gap {
			dst = append(dst, ' ')
			gap = false
		}
		dst, text = append(dst, text[:n]...), text[n:]
	}
	return Cut(dst, start, max)
}

// sequenceSize returns the length of the terminal control sequence at the start of text:
// ESC, [, parameters and a final letter, as in ESC[31m; 0 if there is none.
func sequenceSize(text []byte) int {
	const maxSequence = 32
	if len(text) < len("\x1b[m") || text[0] != 0x1b || text[1] != '[' {
		return 0
	}
	for n, c := range text[2:min(len(text), maxSequence)] {
		switch {
		case c-'@' <= '~'-'@':
			return n + len("\x1b[m")
		case c < ' ' || c > '~':
			return 0
		}
	}
	return 0
}

// plainSize returns the length of the start of text that needs no change: ASCII words with
// single blanks between them. It reads eight bytes at a time and may end up to seven bytes
// early.
func plainSize(text []byte) int {
	const (
		ones  = 0x0101010101010101
		tops  = 0x80 * ones
		blank = 0x20 * ones
	)
	n, gap := 0, uint64(tops&0xff) // a blank at the start is not plain
	for n+8 <= len(text) {
		x := binary.LittleEndian.Uint64(text[n:])
		other := x ^ blank
		blanks := ^(((other &^ tops) + (tops - ones)) | other) & tops
		odd := ((x - blank) | (x + ones) | x | blanks&(blanks<<8|gap)) & tops
		if odd != 0 {
			n += bits.TrailingZeros64(odd) >> 3
			break
		}
		gap = blanks >> 56
		n += 8
	}
	for n+8 > len(text) && n < len(text) && text[n] > ' ' && text[n] < 0x7f {
		n++
	}
	for n > 0 && text[n-1] == ' ' { // the caller adds a blank if a word follows
		n--
	}
	return n
}

// lettersSize returns the length of the runes at the start of text that are in Unicode
// blocks without white space and control characters, as most letters beyond ASCII are.
func lettersSize(text []byte) (n int) {
	for n < len(text) && text[n] >= utf8.RuneSelf {
		r, width := utf8.DecodeRune(text[n:])
		if r <= '\u00ad' || r > '\u05ff' && r <= '\u3000' || r >= '\ufe00' {
			break
		}
		n += width
	}
	return n
}

// Clip returns s cut at a rune boundary to at most max bytes, with three dots at the end if
// it is longer.
func Clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return string(Cut([]byte(s), 0, max))
}

// Cut is Clip for dst[start:].
func Cut(dst []byte, start, max int) []byte {
	const dots = "..."
	if len(dst)-start <= max {
		return dst
	}
	end := start + max - len(dots)
	for end > start && !utf8.RuneStart(dst[end]) {
		end--
	}
	for end > start && dst[end-1] == ' ' {
		end--
	}
	return append(dst[:end], dots...)
}

// Count returns a number and a noun: "1 key", "2 keys".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// AppendNumber appends a number that is not negative. Most ids are line numbers or
// positions, and strconv.AppendInt takes twice as long in Wasm.
func AppendNumber(dst []byte, n int32) []byte {
	size := 1
	for rest := uint32(n); rest >= 10; rest /= 10 {
		size++
	}
	at := len(dst)
	if cap(dst)-at >= size {
		dst = dst[:at+size]
	} else {
		dst = append(dst, make([]byte, size)...)
	}
	for rest, i := uint32(n), at+size; i > at; rest /= 10 {
		i--
		dst[i] = '0' + byte(rest%10)
	}
	return dst
}
