package csvscan

import (
	"bytes"
	"encoding/binary"

	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// kind is what the cells of a column hold.
type kind uint8

const (
	none kind = iota
	text
	boolean
	integer
	number
	moment // a time
)

// column is what is known of the cells of one column.
type column struct {
	t    *table
	name string
	rows int // about how many there will be

	kind   kind
	filled int
	low    cell // the least number or time as it is written
	high   cell
	least  float64
	most   float64

	values  values
	of      []uint16 // by row: number of its value, 0 if the cell is empty; nil if there are too many values
	many    bool     // too many values to tell them apart
	changes int      // rows whose value differs from the one before
	last    uint16
	prior   cell

	at      []cell // by row: the cell, of a column of times
	untimed int
}

type cell struct{ start, end int32 }

func (c cell) size() int { return int(c.end - c.start) }

// manyValues is how many distinct values of a column are told apart.
const manyValues = 1024

// note reads one cell.
func (c *column) note(row, start, end int32) {
	x := cell{start, end}
	if end > start && (c.kind == none || c.kind == moment) {
		c.noteTime(row, x)
	}
	if c.at != nil {
		c.at = append(c.at, x)
	}
	if start == end {
		c.noteValue(row, 0)
		return
	}
	c.filled++
	b := c.t.b
	if c.filled > 1 && x.size() == c.prior.size() && bytes.Equal(b[start:end], b[c.prior.start:c.prior.end]) {
		c.prior = x
		if !c.many {
			v := c.last
			if v == 0 {
				v = c.values.add(b, x)
			} else {
				c.values.count[v-1]++
			}
			c.noteValue(row, v)
		}
		return
	}
	c.prior = x
	if c.kind != text && c.kind != moment {
		c.noteKind(x)
	}
	if !c.many {
		c.noteValue(row, c.values.add(b, x))
	}
}

func (c *column) noteValue(row int32, v uint16) {
	if c.many {
		return
	}
	if row > 0 && v != c.last {
		c.changes++
	}
	c.last = v
	if c.of == nil {
		c.of = make([]uint16, 0, c.rows)
	}
	c.of = append(c.of, v)
	if len(c.values.first) > manyValues {
		c.many, c.of = true, nil
	}
}

// noteTime takes a column for one of times as long as nearly all cells are.
func (c *column) noteTime(row int32, x cell) {
	if _, ok := times.Parse(c.t.b[x.start:x.end]); ok && x.size() <= 40 {
		if c.kind == none {
			c.kind, c.at = moment, make([]cell, row, c.rows)
		}
		return
	}
	if c.kind == none {
		return
	}
	if c.untimed++; c.untimed*10 > int(row)+10 {
		c.kind, c.at = text, nil
	}
}

// noteKind widens the kind of the column by one cell.
func (c *column) noteKind(x cell) {
	b := c.t.b[x.start:x.end]
	k := kindOf(b)
	switch {
	case k == moment:
		k = text
	case k == integer || k == number:
		c.noteNumber(b, x)
	}
	switch {
	case c.kind == none || c.kind == k:
		c.kind = k
	case c.kind == integer && k == number || c.kind == number && k == integer:
		c.kind = number
	default:
		c.kind = text
	}
}

func (c *column) noteNumber(b []byte, x cell) {
	f := value(b)
	if c.low.end == 0 || f < c.least {
		c.low, c.least = x, f
	}
	if c.high.end == 0 || f > c.most {
		c.high, c.most = x, f
	}
}

// kindOf is the kind of one cell that is not empty.
func kindOf(b []byte) kind {
	switch c := b[0]; {
	case c-'0' <= 9 || c == '-' || c == '+' || c == '.':
		if k := numberKind(b); k != text {
			return k
		}
		if _, ok := times.Parse(b); ok {
			return moment
		}
	case c|0x20 == 't' && bytes.EqualFold(b, []byte("true")), c|0x20 == 'f' && bytes.EqualFold(b, []byte("false")):
		return boolean
	}
	return text
}

// numberKind tells 12, 1.5 and 1e9 from texts.
func numberKind(b []byte) kind {
	k, digits := integer, 0
	for i, c := range b {
		switch {
		case c-'0' <= 9:
			digits++
		case c == '.' && k == integer:
			k = number
		case (c == '-' || c == '+') && (i == 0 || b[i-1]|0x20 == 'e'):
		case c|0x20 == 'e' && digits > 0 && i+1 < len(b):
			k = number
		default:
			return text
		}
	}
	if digits == 0 {
		return text
	}
	return k
}

// value is about the value of a number, near enough to compare it.
func value(b []byte) float64 {
	mantissa, scale, point, negative := 0.0, 0, false, b[0] == '-'
	for i, c := range b {
		switch {
		case c-'0' <= 9:
			mantissa = mantissa*10 + float64(c-'0')
			if point {
				scale--
			}
		case c == '.':
			point = true
		case c|0x20 == 'e':
			exponent, minus := 0, false
			for _, c := range b[i+1:] {
				if c-'0' <= 9 && exponent < 1000 {
					exponent = exponent*10 + int(c-'0')
				}
				minus = minus || c == '-'
			}
			if minus {
				exponent = -exponent
			}
			return signed(scaled(mantissa, scale+exponent), negative)
		}
	}
	return signed(scaled(mantissa, scale), negative)
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

// values are the distinct texts of a column, numbered from 1 in the order in
// which they first appear.
type values struct {
	slots []uint16 // number by hash; 0 is free
	first []cell
	count []int32
}

// add counts a cell and returns the number of its value.
func (v *values) add(b []byte, c cell) uint16 {
	if 2*len(v.first) >= len(v.slots) {
		v.grow(b)
	}
	word := b[c.start:c.end]
	mask := len(v.slots) - 1
	slot := int(hash(word)) & mask
	for ; v.slots[slot] != 0; slot = (slot + 1) & mask {
		n := v.slots[slot]
		if known := v.first[n-1]; known.size() == len(word) && bytes.Equal(b[known.start:known.end], word) {
			v.count[n-1]++
			return n
		}
	}
	v.first, v.count = append(v.first, c), append(v.count, 1)
	v.slots[slot] = uint16(len(v.first))
	return uint16(len(v.first))
}

func (v *values) grow(b []byte) {
	v.slots = make([]uint16, max(64, 4*len(v.slots)))
	mask := len(v.slots) - 1
	for i, c := range v.first {
		slot := int(hash(b[c.start:c.end])) & mask
		for v.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		v.slots[slot] = uint16(i) + 1
	}
}

// hash mixes the length and both ends of a text.
func hash(b []byte) uint32 {
	const prime = 0x9e3779b97f4a7c15
	h := uint64(len(b)) * prime
	if n := len(b); n >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(b)) * prime
		return uint32((h ^ h>>29 ^ binary.LittleEndian.Uint64(b[n-8:])) * prime >> 32)
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * prime
	}
	return uint32(h >> 32)
}
