// Package label names the rows of a table: their ids and titles.
//
// A title shows the fields that usually name a row. If a row has none of them, it shows
// those that best distinguish the rows of the table.
package label

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// Labels names the rows of one table.
type Labels struct {
	*column.Set

	ids       []*column.Column // of rows.IDFields
	titles    []*column.Column // of column.TitleFields
	fallbacks []*column.Column // of column.FallbackFields
	display   []*column.Column // of column.DisplayFields
	opaque    []*column.Column // titles and fallbacks with values that no reader recognizes
	kindsOnly bool             // titles and fallbacks show at most the kind of a row

	features []feature // see appendFeatures
	chosen   bool      // the features are chosen

	prefix        []byte // see KeyPrefix
	prefixPending bool   // the prefix is not yet computed

	idColumn []int8    // by row: see idCell
	lastID   cell.Cell // the last id that was appended unchanged
}

// Reset makes l the Labels of a Set that was read.
func (l *Labels) Reset(s *column.Set) {
	*l = Labels{Set: s, prefixPending: s.Keyed && s.IsLarge()}
	if len(s.Columns) == 0 {
		return
	}
	l.ids = s.Named(rows.IDFields)
	l.titles, l.fallbacks = l.dropUninformative(s.Named(column.TitleFields)), l.dropUninformative(s.Named(column.FallbackFields))
	isName := func(c *column.Column) bool { return c.Name != "type" && c.Name != "kind" && c.Name != "_type" }
	l.kindsOnly = !slices.ContainsFunc(l.titles, isName) && !slices.ContainsFunc(l.fallbacks, isName)
	if s.IsLarge() {
		l.display = s.Named(column.DisplayFields)
	}
}

// dropUninformative removes columns that do not distinguish rows for a reader: opaque
// ones, which are kept in l.opaque, and in an array those of one value.
func (l *Labels) dropUninformative(columns []*column.Column) []*column.Column {
	return slices.DeleteFunc(columns, func(c *column.Column) bool {
		if l.hasOpaqueTexts(c) {
			l.opaque = append(l.opaque, c)
			return true
		}
		return !l.Keyed && l.isConstant(c)
	})
}

// hasOpaqueTexts reports whether the first texts of a column are opaque.
func (l *Labels) hasOpaqueTexts(c *column.Column) bool {
	const sample = 4
	seen := 0
	for _, x := range c.Cells {
		if !l.IsString(x) {
			continue
		}
		if !isOpaque(l.B[x.Start+1 : x.End-1]) {
			return false
		}
		if seen++; seen == sample {
			return true
		}
	}
	return seen > 0
}

// isConstant reports whether all objects have the same text in a column.
func (l *Labels) isConstant(c *column.Column) bool {
	if c.Filled < l.Objects || l.Objects < 2 || c.Kinds != column.KindOf(jsonscan.Text) {
		return false
	}
	first := cell.Cell{}
	for _, x := range c.Cells {
		switch {
		case x.IsMissing():
		case first.IsMissing():
			first = x
		case !cell.Same(l.B, first, x):
			return false
		}
	}
	return true
}

// isOpaque reports whether a text is a hash, a UUID or Base64, by which no reader chooses
// and which costs a token for every two bytes. Its letters and digits alternate often.
func isOpaque(s []byte) bool {
	const (
		minSize = 8  // shorter texts are cheap
		long    = 24 // longer names have fewer alternations
	)
	if len(s) < minSize || len(s) > 6*rows.MaxID {
		return false
	}
	alternations, last := 0, byte(0)
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
			alternations++
		}
		last = c
	}
	if len(s) > long {
		return alternations*6 >= len(s)
	}
	return alternations*4 >= len(s)
}
