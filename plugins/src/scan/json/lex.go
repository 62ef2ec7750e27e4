package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Eight bytes are compared in one step: wideXX is a byte in all eight positions. In Go's Wasm a
// loop iteration costs as much as a few dozen simple instructions, because every jump back
// goes through a table.
const (
	wide01 = 0x0101010101010101
	wide20 = 0x20 * wide01
	wide22 = 0x22 * wide01
	wide30 = 0x30 * wide01
	wide5c = 0x5c * wide01
	wide76 = 0x76 * wide01
	wide7b = 0x7b * wide01
	wide7d = 0x7d * wide01
	wide80 = 0x80 * wide01
)

// markSpecial returns a word in which the top bit is set of the first byte of x that does not
// mean itself in a string: a quote, a backslash, a control character or a byte beyond ASCII.
// The bytes after that one are undefined.
func markSpecial(x uint64) uint64 {
	return ((x - wide20) | ((x ^ wide22) - wide01) | ((x ^ wide5c) - wide01) | x) & wide80
}

// markNondigits returns a word in which the top bits are set of the bytes of x that are no digits.
func markNondigits(x uint64) uint64 {
	x ^= wide30
	return (x&^wide80 + wide76 | x) & wide80
}

// mayBeSpace reports whether white space may be at p. It is inlined, which saves most
// calls of SkipSpace.
func mayBeSpace(b []byte, p int) bool { return p < len(b) && b[p] <= ' ' }

// SkipSpace returns the first offset from p on that is not JSON white space.
func SkipSpace(b []byte, p int) int {
	for p < len(b) && b[p] <= ' ' {
		switch {
		case p+8 < len(b) && (b[p] == '\n' || b[p] == ' '):
			// A line end is mostly followed by the blanks of an indent.
			other := binary.LittleEndian.Uint64(b[p+1:]) ^ wide20
			if other == 0 {
				p += 9
				continue
			}
			p += 1 + bits.TrailingZeros64(other)>>3
		case b[p] == ' ' || b[p] == '\t' || b[p] == '\n' || b[p] == '\r':
			p++
		default:
			return p
		}
	}
	return p
}

// ScanString reads the string literal that begins with the quote at p and returns
// the offset after its last quote. If it is not ok, end is the offset of the first
// invalid byte, which may be a byte that is not UTF-8.
//
// Bytes that mean themselves, ASCII without quote, backslash and control
// characters, are skipped eight at a time.
func ScanString(b []byte, p int) (end int, ok bool) {
	p++
	for {
		for p+8 <= len(b) {
			if hit := markSpecial(binary.LittleEndian.Uint64(b[p:])); hit != 0 {
				p += bits.TrailingZeros64(hit) >> 3
				break
			}
			p += 8
		}
		if p >= len(b) {
			return p, false
		}
		switch c := b[p]; {
		case c == '"':
			return p + 1, true
		case c == '\\' && p+1 < len(b) && shortEscapes[b[p+1]]:
			p += 2
		case c == '\\':
			n := scanUnicodeEscape(b[p:])
			if n == 0 {
				return p, false
			}
			p += n
		case c < ' ':
			return p, false
		case c < utf8.RuneSelf:
			p++ // one of the last seven bytes
		default:
			r, n := utf8.DecodeRune(b[p:])
			if r == utf8.RuneError && n == 1 {
				return p, false
			}
			p += n
		}
	}
}

// shortEscapes are the bytes after the backslash of an escape sequence of two bytes.
var shortEscapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// scanUnicodeEscape returns the length of the escape sequence \uXXXX at the start of b,
// or 0 if there is none.
func scanUnicodeEscape(b []byte) int {
	if len(b) < 6 || b[1] != 'u' || !isHex(b[2]) || !isHex(b[3]) || !isHex(b[4]) || !isHex(b[5]) {
		return 0
	}
	return len(`\uXXXX`)
}

func isHex(c byte) bool {
	return c-'0' <= 9 || c|0x20-'a' <= 5
}

// scanScalar reads a number or one of the three literal names.
func scanScalar(b []byte, p int) (end int, kind Kind, ok bool) {
	switch b[p] {
	case 't':
		end, ok = scanLiteral(b, p, "true")
		return end, Bool, ok
	case 'f':
		end, ok = scanLiteral(b, p, "false")
		return end, Bool, ok
	case 'n':
		end, ok = scanLiteral(b, p, "null")
		return end, Null, ok
	}
	end, ok = scanNumber(b, p)
	return end, Number, ok
}

func scanLiteral(b []byte, p int, want string) (end int, ok bool) {
	for i := range len(want) {
		if p+i >= len(b) || b[p+i] != want[i] {
			return p + i, false
		}
	}
	return p + len(want), true
}

// scanNumber reads -? int frac? exp? of RFC 8259 section 6.
func scanNumber(b []byte, p int) (end int, ok bool) {
	if p < len(b) && b[p] == '-' {
		p++
	}
	whole := p
	p = scanDigits(b, p)
	if p == whole || b[whole] == '0' && p > whole+1 {
		return whole, false
	}
	if p < len(b) && b[p] == '.' {
		frac := p + 1
		if p = scanDigits(b, frac); p == frac {
			return p, false
		}
	}
	if p < len(b) && b[p]|0x20 == 'e' {
		p++
		if p < len(b) && (b[p] == '+' || b[p] == '-') {
			p++
		}
		exp := p
		if p = scanDigits(b, exp); p == exp {
			return p, false
		}
	}
	return p, true
}

// scanDigits returns the offset after the digits at p. It reads eight bytes at a time where it can.
func scanDigits(b []byte, p int) int {
	for p+8 <= len(b) {
		if other := markNondigits(binary.LittleEndian.Uint64(b[p:])); other != 0 {
			return p + bits.TrailingZeros64(other)>>3
		}
		p += 8
	}
	for p < len(b) && b[p]-'0' <= 9 {
		p++
	}
	return p
}
