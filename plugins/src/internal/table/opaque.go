package table

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// isOpaque reports whether a text is one that no reader chooses by: a hash, a UUID,
// Base64. Their letters and digits take turns; those of names and numbers stand in
// runs. They cost a reader a token for every two bytes.
func isOpaque(s []byte) bool {
	const (
		least = 8  // bytes; less are soon read
		long  = 24 // names of so many bytes have long runs
	)
	if len(s) < least || len(s) > 6*maxID {
		return false
	}
	turns, last := 0, byte(0)
	for _, c := range s {
		switch {
		case c == ' ':
			return false
		case c-'0' <= 9:
			c = '0'
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			c = 'a'
		}
		if c^last == 'a'^'0' {
			turns++
		}
		last = c
	}
	if len(s) > long {
		return turns*6 >= len(s)
	}
	return turns*4 >= len(s)
}

// opaqueColumn reports whether the first texts of a column are opaque.
func (t *Table) opaqueColumn(c *column) bool {
	const sample = 4
	seen := 0
	for _, x := range c.cells {
		if !t.isText(x) {
			continue
		}
		if !isOpaque(t.b[x.start+1 : x.end-1]) {
			return false
		}
		if seen++; seen == sample {
			return true
		}
	}
	return seen > 0
}

// constant reports whether all objects have the same text in a column.
func (t *Table) constant(c *column) bool {
	if c.filled < t.objects || t.objects < 2 || c.kinds != bit(jsonscan.Text) {
		return false
	}
	first := cell{}
	for _, x := range c.cells {
		switch {
		case x.missing():
		case first.missing():
			first = x
		case !same(t.b, first, x):
			return false
		}
	}
	return true
}

// dropDumb takes out of the columns that name rows those that tell nothing: opaque
// ones, which are kept aside, and in an array those of one value.
func (t *Table) dropDumb(columns []*column) []*column {
	return slices.DeleteFunc(columns, func(c *column) bool {
		if t.opaqueColumn(c) {
			t.opaque = append(t.opaque, c)
			return true
		}
		return !t.keyed && t.constant(c)
	})
}

// saysKind reports whether a column says what sort of thing a row is, not which.
func (c *column) saysKind() bool {
	return c.name == "type" || c.name == "kind" || c.name == "_type"
}
