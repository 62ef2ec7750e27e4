package csvscan

import (
	"bytes"
	"encoding/binary"

	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// kindOf is the kind of one cell that is not empty.
func kindOf(b []byte) kind {
	if k, _ := parse(b); k != text {
		return k
	}
	if _, ok := times.Parse(b); ok {
		return moment
	}
	return text
}

// parse tells 12, 1.5, 1e9 and true from texts. The value of a number is near
// enough to compare it.
func parse(b []byte) (k kind, value float64) {
	c := b[0]
	if c-'0' > 9 && c != '-' && c != '+' && c != '.' {
		if c|0x20 == 't' && bytes.EqualFold(b, yes) || c|0x20 == 'f' && bytes.EqualFold(b, no) {
			return boolean, 0
		}
		return text, 0
	}
	p, k := 0, integer
	if c == '-' || c == '+' {
		p++
	}
	mantissa, digits, scale := uint64(0), 0, 0
	for ; p < len(b); p++ {
		if p+8 <= len(b) && mantissa < 1e10 {
			if n, ok := eightDigits(binary.LittleEndian.Uint64(b[p:])); ok {
				mantissa, digits = mantissa*1e8+n, digits+8
				if k == number {
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
			if k == number {
				scale--
			}
		case d == '.' && k == integer:
			k = number
		case d|0x20 == 'e' && digits > 0:
			exponent, ok := exponent(b[p+1:])
			if !ok {
				return text, 0
			}
			return number, signed(scaled(float64(mantissa), scale+exponent), c == '-')
		default:
			return text, 0
		}
	}
	if digits == 0 {
		return text, 0
	}
	return k, signed(scaled(float64(mantissa), scale), c == '-')
}

// eightDigits is the number that eight bytes are if they are digits, the first in
// the lowest byte of x.
func eightDigits(x uint64) (n uint64, ok bool) {
	if n = x ^ '0'*ones; (n+0x76*ones|n)&tops != 0 {
		return 0, false
	}
	n = n*10 + n>>8                             // numbers of two digits, in every second byte
	n = n & 0x00ff00ff00ff00ff * 0x640001 >> 16 // of four
	return n & 0x0000ffff0000ffff * 0x271000000001 >> 32, true
}

var yes, no = []byte("true"), []byte("false")

// exponent reads what stands behind the e of a number.
func exponent(b []byte) (n int, ok bool) {
	minus := len(b) > 0 && b[0] == '-'
	if minus || len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = min(n*10+int(c-'0'), 1000)
	}
	if minus {
		n = -n
	}
	return n, len(b) > 0
}

func scaled(f float64, by int) float64 {
	for ; by >= 16 && f < 1e300; by -= 16 {
		f *= 1e16
	}
	for ; by <= -16 && f > 1e-300; by += 16 {
		f /= 1e16
	}
	if by >= 0 {
		return f * powers[by&15]
	}
	return f / powers[-by&15]
}

var powers = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func signed(f float64, negative bool) float64 {
	if negative {
		return -f
	}
	return f
}
