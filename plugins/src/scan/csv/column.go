package csv

import (
	"bytes"
	"encoding/binary"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/number"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// kind is the type of the cells of a column.
type kind uint8

const (
	none kind = iota
	text
	boolean
	integer
	decimal
	timestamp
)

// kindOf returns the kind of one cell that is not empty.
func kindOf(b []byte) kind {
	if _, n := number.Parse(b); n != number.None {
		return numberKinds[n]
	}
	if isBoolean(b) {
		return boolean
	}
	if _, ok := times.Parse(b); ok {
		return timestamp
	}
	return text
}

func isBoolean(b []byte) bool {
	c := b[0] | 0x20
	return c == 't' && bytes.EqualFold(b, []byte("true")) || c == 'f' && bytes.EqualFold(b, []byte("false"))
}

var numberKinds = [...]kind{number.None: text, number.Int: integer, number.Decimal: decimal}

// column holds the values of one column.
type column struct {
	b    []byte
	name string
	rows int // expected number of records

	kind      kind
	filled    int       // cells that are not empty
	low, high cell.Cell // lowest and highest number
	lowest    float64
	highest   float64

	values  values
	of      []uint16 // by record: number of its value, 0 if the cell is empty; nil if there are too many values
	many    bool     // there are too many values to distinguish them
	wanted  bool     // the config groups by this column
	settled bool     // further cells only count as filled or empty
	last    lastCell

	times   []cell.Cell // by record: the cell, if the column holds times
	first   times.Stamp // earliest time
	final   times.Stamp // latest time
	untimed int         // cells that are no time
}

// lastCell is the last cell of a column. The next one is mostly the same, and then
// nothing else has to be found out about it.
type lastCell struct {
	head, tail uint64 // its first and last eight bytes; of a shorter cell its bytes, then zeros
	mask       uint64 // selects the bytes of a word that are compared
	size, rest int32  // its size, and the offset of tail; size is -1 if the next cell must be added
	value      uint16
	cell.Cell
}

// is reports whether x has the same text. A word must be readable at its start.
func (l *lastCell) is(b []byte, x cell.Cell) bool {
	head, tail := binary.LittleEndian.Uint64(b[x.Start:]), binary.LittleEndian.Uint64(b[x.Start+l.rest:])
	return ((head^l.head)|(tail^l.tail))&l.mask == 0 && (l.size <= 16 || cell.Same(b, l.Cell, x))
}

// Limits of distinct values. A column with more than maxValues is no use for groups. In
// a long table a column is given up earlier, if three quarters of its first firstCells
// differ. A column of fractions is given up even earlier, in any table: they are no
// ids, and rarely names.
const (
	maxValues      = 1024
	firstCells     = 256
	firstFractions = 64
)

// add adds one cell.
func (c *column) add(row int32, x cell.Cell) {
	untimed := c.untimed
	if x.End > x.Start && (c.kind == none || c.kind == timestamp) {
		c.addTime(row, x)
	}
	if c.times != nil {
		c.times = append(c.times, x)
	}
	c.last.size = -1
	if x.End == x.Start {
		c.addValue(0)
		return
	}
	c.filled++
	if c.kind != text && c.kind != timestamp {
		c.addKind(x)
	}
	if c.many {
		c.settled = c.kind == text
		return
	}
	c.last.value = c.values.add(c.b, x)
	if c.addValue(c.last.value); c.untimed == untimed {
		c.remember(x)
	}
}

// remember sets the last cell.
func (c *column) remember(x cell.Cell) {
	size := int32(x.Size())
	if int(x.Start)+8 > len(c.b) || c.many {
		return
	}
	l := &c.last
	l.Cell, l.size, l.rest, l.mask = x, size, max(size-8, 0), ^uint64(0)>>(64-8*min(size, 8))
	l.head = binary.LittleEndian.Uint64(c.b[x.Start:]) & l.mask
	l.tail = binary.LittleEndian.Uint64(c.b[x.Start+l.rest:]) & l.mask
}

// addValue adds the number of a value.
func (c *column) addValue(v uint16) {
	if c.many {
		return
	}
	if c.of == nil {
		c.of = make([]uint16, 0, c.rows)
	}
	c.of = append(c.of, v)
	if c.hasTooManyValues() {
		c.many, c.of = true, nil
	}
}

// hasTooManyValues reports whether there are too many values to group records by.
func (c *column) hasTooManyValues() bool {
	n, cells := len(c.values.first), len(c.of)
	switch {
	case n > maxValues:
		return true
	case c.wanted || 4*n <= 3*cells:
		return false
	}
	return cells == firstCells && c.rows > 2*maxValues || cells == firstFractions && c.kind == decimal
}

// addTime treats the column as one of times as long as nearly all cells are times.
func (c *column) addTime(row int32, x cell.Cell) {
	if s, ok := times.Parse(c.b[x.Start:x.End]); ok && x.Size() <= rows.MaxID {
		if c.kind == none {
			c.kind, c.times = timestamp, make([]cell.Cell, row, c.rows)
			c.first, c.final = s, s
		}
		if s.Before(c.first, len(s)) {
			c.first = s
		}
		if c.final.Before(s, len(s)) {
			c.final = s
		}
		return
	}
	if c.kind == none {
		return
	}
	if c.untimed++; c.untimed*10 > int(row)+10 {
		c.kind, c.times = text, nil
	}
}

// addKind widens the kind of the column by the kind of one cell.
func (c *column) addKind(x cell.Cell) {
	b := c.b[x.Start:x.End]
	value, n := number.Parse(b)
	k := numberKinds[n]
	if n != number.None {
		if c.low.End == 0 || value < c.lowest {
			c.low, c.lowest = x, value
		}
		if c.high.End == 0 || value > c.highest {
			c.high, c.highest = x, value
		}
	} else if isBoolean(b) {
		k = boolean
	}
	switch {
	case c.kind == k:
	case c.kind == none:
		c.kind = k
	case c.kind == integer && k == decimal || c.kind == decimal && k == integer:
		c.kind = decimal
	default:
		c.kind = text
	}
}
