package jsonspan

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes are compared as one word. Each constant repeats one byte.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
	blanks   = 0x2020202020202020
)

// SkipBlank returns the offset of the first byte at or after at that is not
// JSON white space (blank, tab, line feed, carriage return), or len(b).
func SkipBlank(b []byte, at int) int {
	if at < len(b) && b[at] > ' ' {
		return at
	}
	return skipBlanks(b, at)
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
		for i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:]) == blanks {
			i += 8 // indentation
		}
	}
	return len(b)
}

// plainEnd returns the offset of the first byte at or after i that ends a run
// of plain bytes of a string: a quote, a backslash or a control character. It
// returns len(b) if there is none.
//
// In a word, x-n borrows into the high bit of a byte below n. Quote (0x22) and
// control characters (below 0x20) are both below 0x21 once bit 1 is flipped;
// the backslash is zero after the xor. A borrow can only mark bytes
// after a true hit, so the first mark is right.
func plainEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quoteOrControl := (x ^ lowBits*0x02) - lowBits*0x21
		backslash := (x ^ lowBits*'\\') - lowBits
		if hit := (quoteOrControl | backslash) &^ x & highBits; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// stringEnd returns the offset after the string literal that starts at b[i]. It contains
// an inlined plainEnd, because runs in quoted text are short and a call for each run costs
// as much as scanning it.
func stringEnd(b []byte, i int) (int, *SyntaxError) {
	i++
	for {
		var hit uint64
		for hit == 0 {
			if i+8 > len(b) {
				return stringTail(b, i)
			}
			x := binary.LittleEndian.Uint64(b[i:])
			quoteOrControl := (x ^ lowBits*0x02) - lowBits*0x21
			backslash := (x ^ lowBits*'\\') - lowBits
			hit = (quoteOrControl | backslash) &^ x & highBits
			i += 8
		}
		i += bits.TrailingZeros64(hit)/8 - 8
		switch {
		case b[i] == '"':
			return i + 1, nil
		case i+1 >= len(b) || b[i] != '\\' || escapes[b[i+1]] == 0:
			return stringTail(b, i)
		}
		i += 2
	}
}

// stringTail is a simpler stringEnd for the last bytes of the text, rare escapes and
// invalid strings.
func stringTail(b []byte, i int) (int, *SyntaxError) {
	for {
		i = plainEnd(b, i)
		switch {
		case i >= len(b):
			return 0, newSyntaxError(b, i, `want '"'`)
		case b[i] == '"':
			return i + 1, nil
		case b[i] != '\\':
			return 0, newSyntaxError(b, i, "want no control character in a string")
		case i+1 < len(b) && escapes[b[i+1]] != 0:
			i += 2
		default:
			if hex4(b, i) < 0 {
				return 0, newSyntaxError(b, i+1, `want an escape of JSON after '\'`)
			}
			i += 6
		}
	}
}

// literalEnd returns the offset after word at b[i]. The caller has compared the first byte.
func literalEnd(b []byte, i int, word string) (int, *SyntaxError) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return 0, newSyntaxError(b, i, "want "+word)
	}
	return i + len(word), nil
}

// numberEnd returns the offset after the number at b[i]. It also refuses a byte that
// cannot start any value.
func numberEnd(b []byte, i int) (int, *SyntaxError) {
	start := i
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case i < len(b) && isDigit(b[i]):
		i = digitsEnd(b, i)
	case i == start:
		return 0, newSyntaxError(b, i, "want a value")
	default:
		return 0, newSyntaxError(b, i, "want a digit")
	}
	if i < len(b) && b[i] == '.' {
		if i++; i >= len(b) || !isDigit(b[i]) {
			return 0, newSyntaxError(b, i, "want a digit")
		}
		i = digitsEnd(b, i)
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i >= len(b) || !isDigit(b[i]) {
			return 0, newSyntaxError(b, i, "want a digit")
		}
		i = digitsEnd(b, i)
	}
	return i, nil
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func digitsEnd(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}
