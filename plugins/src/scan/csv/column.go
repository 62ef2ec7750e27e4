package csvscan

import (
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
	low    cell // the least number as it is written
	high   cell
	least  float64
	most   float64

	values  values
	of      []uint16 // by row: number of its value, 0 if the cell is empty; nil if there are too many values
	many    bool     // too many values to tell them apart
	wished  bool     // the config groups by it
	settled bool     // of the cells to come only the empty ones matter
	last    last

	at      []cell // by row: the cell, of a column of times
	first   times.Stamp
	final   times.Stamp
	untimed int // cells of it that are no time
}

type cell struct{ start, end int32 }

func (c cell) size() int { return int(c.end - c.start) }

// last is the last cell of a column, which mostly is the next one too: then there
// is nothing to find out about that.
type last struct {
	head, tail uint64 // its first and last eight bytes; of less than eight bytes these, and zeros
	front      uint64 // what of a word is compared
	size, rest int32  // bytes, and those before the tail; size is -1 if the next cell must be looked at
	value      uint16
	cell
}

// is reports whether a cell that a word can be read from is the last one again.
func (l *last) is(b []byte, x cell) bool {
	head, tail := binary.LittleEndian.Uint64(b[x.start:]), binary.LittleEndian.Uint64(b[x.start+l.rest:])
	return ((head^l.head)|(tail^l.tail))&l.front == 0 && (l.size <= 16 || equal(b[l.start:l.end], b[x.start:x.end]))
}

// manyValues is how many distinct values of a column are told apart. Of many more
// rows than that, a column is given up at once if three in four of the first cells
// differ. One of fractions is given up so sooner, and in any table: they are no ids, and
// seldom names.
const (
	manyValues     = 1024
	firstCells     = 256
	firstFractions = 64
)

// note reads one cell.
func (c *column) note(row int32, x cell) {
	untimed := c.untimed
	if x.end > x.start && (c.kind == none || c.kind == moment) {
		c.noteTime(row, x)
	}
	if c.at != nil {
		c.at = append(c.at, x)
	}
	c.last.size = -1
	if x.end == x.start {
		c.noteValue(0)
		return
	}
	c.filled++
	if c.kind != text && c.kind != moment {
		c.noteKind(x)
	}
	if c.many {
		c.settled = c.kind == text
		return
	}
	k := key(c.t.b, x)
	c.last.value = c.values.add(c.t.b, x, k)
	if c.noteValue(c.last.value); c.untimed == untimed {
		c.remember(x)
	}
}

// remember makes a cell the last one.
func (c *column) remember(x cell) {
	size, b := int32(x.size()), c.t.b
	if int(x.start)+8 > len(b) || c.many {
		return
	}
	l := &c.last
	l.cell, l.size, l.rest, l.front = x, size, max(size-8, 0), ^uint64(0)>>(64-8*min(size, 8))
	l.head = binary.LittleEndian.Uint64(b[x.start:]) & l.front
	l.tail = binary.LittleEndian.Uint64(b[x.start+l.rest:]) & l.front
}

func (c *column) noteValue(v uint16) {
	if c.many {
		return
	}
	if c.of == nil {
		c.of = make([]uint16, 0, c.rows)
	}
	c.of = append(c.of, v)
	if c.hopeless() {
		c.many, c.of = true, nil
	}
}

// hopeless reports whether there are too many values to group records by.
func (c *column) hopeless() bool {
	n, cells := len(c.values.first), len(c.of)
	switch {
	case n > manyValues:
		return true
	case c.wished || 4*n <= 3*cells:
		return false
	}
	return cells == firstCells && c.rows > 2*manyValues || cells == firstFractions && c.kind == number
}

// noteTime takes a column for one of times as long as nearly all cells are.
func (c *column) noteTime(row int32, x cell) {
	if s, ok := times.Parse(c.t.b[x.start:x.end]); ok && x.size() <= maxID {
		if c.kind == none {
			c.kind, c.at = moment, make([]cell, row, c.rows)
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
		c.kind, c.at = text, nil
	}
}

// noteKind widens the kind of the column by one cell.
func (c *column) noteKind(x cell) {
	k, f := parse(c.t.b[x.start:x.end])
	if k == integer || k == number {
		if c.low.end == 0 || f < c.least {
			c.low, c.least = x, f
		}
		if c.high.end == 0 || f > c.most {
			c.high, c.most = x, f
		}
	}
	switch {
	case c.kind == k:
	case c.kind == none:
		c.kind = k
	case c.kind == integer && k == number || c.kind == number && k == integer:
		c.kind = number
	default:
		c.kind = text
	}
}
