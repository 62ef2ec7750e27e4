package column

import (
	"math"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/number"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// distinct returns the distinct cells of a column if they are known, else all cells.
func (c *Column) distinct() []cell.Cell {
	if c.values != nil && c.values.Complete {
		return c.values.First
	}
	return c.Cells
}

// Type returns the type of the cells of a column, "mixed" if they differ and "null" if
// there are none.
func (s *Set) Type(c *Column) string {
	switch c.Kinds &^ KindOf(jsonscan.Null) {
	case 0:
		return "null"
	case KindOf(jsonscan.Text):
		return "text"
	case KindOf(jsonscan.Array):
		return "array"
	case KindOf(jsonscan.Object):
		return "object"
	case KindOf(jsonscan.Bool):
		return "bool"
	case KindOf(jsonscan.Number):
		return s.numberType(c)
	}
	return "mixed"
}

// numberType returns "int" if all numbers of a column are integers, else "number".
func (s *Set) numberType(c *Column) string {
	for _, x := range c.distinct() {
		if _, ok := cell.Digits(s.B, x); ok {
			continue
		}
		for _, b := range s.Bytes(x) {
			if b == '.' || b|0x20 == 'e' {
				return "number"
			}
		}
	}
	return "int"
}

// CountInformative returns how many cells are neither missing nor null nor "".
func (s *Set) CountInformative(c *Column) (n int) {
	if !c.Kinds.Has(jsonscan.Null) && !c.Kinds.Has(jsonscan.Text) {
		return c.Filled
	}
	counted := c.values != nil && c.values.Complete
	for i, x := range c.distinct() {
		switch {
		case x.IsMissing() || s.B[x.Start] == 'n' || s.B[x.Start] == '"' && x.Size() <= 2:
		case counted:
			n += int(c.values.Count[i])
		default:
			n++
		}
	}
	return n
}

// CountDistinct returns how many informative values a column has. If there are many, it
// may be less.
func (s *Set) CountDistinct(c *Column) (n int, many bool) {
	if c.index != nil {
		return c.index.Informative, false
	}
	v := s.ValuesOf(c, false)
	return v.Informative, v.Many
}

// List returns captions of the informative values of a column.
func (s *Set) List(c *Column) (out []string) {
	for _, x := range s.ValuesOf(c, false).First {
		if text := caption.Of(s.Bytes(x), rows.MaxID); text != `""` && text != "null" {
			out = append(out, strings.Trim(text, `"`))
		}
	}
	return out
}

// Range returns the range of the numbers of a column, empty if there are none.
func (s *Set) Range(c *Column) string {
	var low, high cell.Cell
	var lowest, highest float64
	for _, x := range c.distinct() {
		if !s.IsNumber(x) {
			continue
		}
		n, ok := cell.Digits(s.B, x)
		f := float64(n)
		if !ok {
			if f, _ = number.Parse(s.Bytes(x)); math.IsInf(f, 0) {
				continue
			}
		}
		if low.IsMissing() || f < lowest {
			low, lowest = x, f
		}
		if high.IsMissing() || f > highest {
			high, highest = x, f
		}
	}
	if low.IsMissing() {
		return ""
	}
	return rows.Range(s.Bytes(low), s.Bytes(high))
}

// epochFields are fields with numbers that are seconds or milliseconds since 1970.
var epochFields = []string{"ts", "time", "timestamp", "date", "created", "created_at", "createdAt", "updated", "@timestamp", "timeMs"}

// MayBeTime reports whether a column may hold times.
func (c *Column) MayBeTime() bool {
	return c.Kinds.Has(jsonscan.Text) || c.Kinds.Has(jsonscan.Number) && slices.Contains(epochFields, c.Name)
}

// Stamp reads a cell of a column as a time.
func (s *Set) Stamp(c *Column, x cell.Cell) (times.Stamp, bool) {
	switch {
	case s.IsString(x) && x.Size() < rows.MaxID:
		return times.Parse(s.B[x.Start+1 : x.End-1])
	case s.IsNumber(x) && slices.Contains(epochFields, c.Name):
		return times.ParseEpoch(s.Bytes(x))
	}
	return times.Stamp{}, false
}

// answer is a cached answer.
type answer int8

const (
	unknown answer = iota
	yes
	no
)

// IsTime reports whether the first cell of a column that is not missing is a time.
func (s *Set) IsTime(c *Column) bool {
	if c.isTime != unknown {
		return c.isTime == yes
	}
	c.isTime = no
	for _, x := range c.Cells {
		if x.IsMissing() {
			continue
		}
		if _, ok := s.Stamp(c, x); ok {
			c.isTime = yes
		}
		break
	}
	return c.isTime == yes
}

// TimeRange returns the first and last time of a column in which all texts are times.
func (s *Set) TimeRange(c *Column) (from, to string, ok bool) {
	var low, high times.Stamp
	if !c.Kinds.Has(jsonscan.Text) {
		return "", "", false
	}
	for _, x := range c.distinct() {
		if !s.IsString(x) {
			continue
		}
		stamp, isTime := s.Stamp(c, x)
		if !isTime {
			return "", "", false
		}
		if ok && stamp.Same(&high) { // mostly that of the preceding record
			continue
		}
		if !ok || stamp.Before(low, len(stamp)) {
			low = stamp
		}
		if !ok || high.Before(stamp, len(stamp)) {
			high = stamp
		}
		ok = true
	}
	return low.String(), high.String(), ok
}
