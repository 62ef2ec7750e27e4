// Package number reads decimal numbers in texts.
package number

import "encoding/binary"

// Kind is the type of a number.
type Kind uint8

// The kinds of numbers.
const (
	None    Kind = iota // not a number
	Int                 // 12
	Decimal             // 1.5, 1e9
)

// Parse reads a number: an optional sign, digits with at most one point, and an
// optional exponent. All of b, which must not be empty, must belong to it. The value
// is precise enough to compare numbers.
func Parse(b []byte) (value float64, k Kind) {
	p := 0
	if b[0] == '-' || b[0] == '+' {
		p++
	}
	k = Int
	mantissa, digits, scale := uint64(0), 0, 0
	for ; p < len(b); p++ {
		if p+8 <= len(b) && mantissa < 1e10 {
			if n, ok := EightDigits(binary.LittleEndian.Uint64(b[p:])); ok {
				mantissa, digits = mantissa*1e8+n, digits+8
				if k == Decimal {
					scale -= 8
				}
				p += 7
				continue
			}
		}
		switch d := b[p]; {
		case d-'0' <= 9:
			if digits++; mantissa < 1e18 {
				mantissa = mantissa*10 + uint64(d-'0')
			} else {
				scale++
			}
			if k == Decimal {
				scale--
			}
		case d == '.' && k == Int:
			k = Decimal
		case d|0x20 == 'e' && digits > 0:
			exponent, ok := parseExponent(b[p+1:])
			if !ok {
				return 0, None
			}
			return withSign(scaleBy(float64(mantissa), scale+exponent), b[0] == '-'), Decimal
		default:
			return 0, None
		}
	}
	if digits == 0 {
		return 0, None
	}
	return withSign(scaleBy(float64(mantissa), scale), b[0] == '-'), k
}

// EightDigits returns the number that the eight bytes of a word represent if all of
// them are digits. The first digit is the lowest byte.
func EightDigits(word uint64) (n uint64, ok bool) {
	const (
		ones = 0x0101010101010101
		tops = 0x80 * ones
	)
	if n = word ^ '0'*ones; (n+0x76*ones|n)&tops != 0 {
		return 0, false
	}
	n = n*10 + n>>8                             // numbers of two digits, in every second byte
	n = n & 0x00ff00ff00ff00ff * 0x640001 >> 16 // of four
	return n & 0x0000ffff0000ffff * 0x271000000001 >> 32, true
}

// parseExponent reads the exponent after the e of a number.
func parseExponent(b []byte) (n int, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative || len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = min(n*10+int(c-'0'), 1000)
	}
	if negative {
		n = -n
	}
	return n, len(b) > 0
}

// scaleBy returns f times ten to the power of "power".
func scaleBy(f float64, power int) float64 {
	for ; power >= 16 && f < 1e300; power -= 16 {
		f *= 1e16
	}
	for ; power <= -16 && f > 1e-300; power += 16 {
		f /= 1e16
	}
	if power >= 0 {
		return f * powers[power&15]
	}
	return f / powers[-power&15]
}

var powers = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func withSign(f float64, negative bool) float64 {
	if negative {
		return -f
	}
	return f
}
