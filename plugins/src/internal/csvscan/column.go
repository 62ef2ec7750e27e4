package csvscan

import "github.com/mcpctl/mcpctl/plugins/src/internal/times"

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

	values values
	of     []uint16 // by row: number of its value, 0 if the cell is empty; nil if there are too many values
	many   bool     // too many values to tell them apart
	last   uint16

	at      []cell // by row: the cell, of a column of times
	first   times.Stamp
	final   times.Stamp
	untimed int // cells of it that are no time
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
		c.noteValue(0)
		return
	}
	c.filled++
	if c.many {
		if c.kind != text && c.kind != moment {
			c.noteKind(x)
		}
		return
	}
	k := key(c.t.b, x)
	if c.last != 0 && c.values.is(c.last, c.t.b, x, k) {
		c.noteValue(c.last)
		return
	}
	if c.kind != text && c.kind != moment {
		c.noteKind(x)
	}
	c.noteValue(c.values.add(c.t.b, x, k))
}

func (c *column) noteValue(v uint16) {
	if c.many {
		return
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
