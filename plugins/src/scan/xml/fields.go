package xml

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

const (
	maxColumns = 16  // columns of a table
	maxRows    = 500 // rows that are read, because common fields show early
	maxValues  = 24  // distinct values of a column that are counted
)

// fieldsLine returns one line about the fields that most children of element i have:
// the type of each, its values or their range, and the share of children that have it.
// It is empty if the children have different tags.
func fieldsLine(of *tree, i int) string {
	t := table{tree: of}
	if !t.readChildren(i) {
		return ""
	}
	head := "fields: "
	if t.rows == maxRows {
		head = "fields of the first " + strconv.Itoa(maxRows) + ": "
	}
	s := rows.NewSchema(head)
	s.Separate = true
	for k := range t.columns {
		c := &t.columns[k]
		if 2*c.filled < t.rows {
			continue
		}
		if !s.Add(c.caption(), func(dst []byte) []byte { return c.appendDescription(dst, t.rows) }) {
			break
		}
	}
	return s.Finish(0)
}

// table holds the children of an element that have one tag.
type table struct {
	*tree
	columns  []column
	rows     int
	expected int // the next column, if the row has the same fields as the last one
}

// readChildren reads the children of element i. It returns false unless nine in ten of
// them have the same tag.
func (t *table) readChildren(i int) bool {
	frequent, lead, all := -1, 0, 0
	for j := t.first(i); all < maxRows && t.contains(i, j); j = t.next(j) {
		if !t.isElement(j) {
			continue
		}
		if lead == 0 {
			frequent = j
		}
		if all++; t.hasSameTag(frequent, j) { // a majority vote
			lead++
		} else {
			lead--
		}
	}
	if lead*10 < all*8 || all <= rows.MaxLines { // nine tenths less one tenth
		return false
	}
	for j := t.first(i); t.rows < maxRows && t.contains(i, j); j = t.next(j) {
		if t.isElement(j) && t.hasSameTag(frequent, j) {
			t.addRow(j)
		}
	}
	return true
}

// addRow adds the attributes and the children of an element.
func (t *table) addRow(i int) {
	t.rows++
	t.expected = 0
	for a := t.attributes(i); a.Next(); {
		if syntax.IsNamespace(a.Name) || len(a.Value) == 0 {
			continue
		}
		if c := t.column(a.Name, true); c != nil {
			c.add(t.rows, a.Value)
		}
	}
	var c *column // of the previous child
	var before syntax.Form
	for j := t.first(i); t.contains(i, j); j = t.next(j) {
		if !t.isElement(j) {
			continue
		}
		n := t.Forms[j].Tag()
		if c != nil && c.repeated && n == before && n > 0 {
			continue // more of a list
		}
		before = n
		tag := t.tag(j)
		if c = t.column(tag, false); c != nil {
			t.addChild(c, j, len(tag))
		}
	}
}

// addChild adds the value of a child to its column.
func (t *table) addChild(c *column, j, tagSize int) {
	if c.repeated {
		c.fill(t.rows)
	} else if v := t.value(j, tagSize); v != nil {
		c.add(t.rows, v)
	} else if text := t.text(j, tagSize); len(text) > 0 {
		c.add(t.rows, text)
	} else {
		c.fill(t.rows)
		c.types |= nested
	}
}

// column returns the column of a name, nil if there are too many. Rows mostly have
// their fields in the same order.
func (t *table) column(name []byte, attribute bool) *column {
	for range t.columns {
		if t.expected >= len(t.columns) {
			t.expected = 0
		}
		c := &t.columns[t.expected]
		if c.attribute == attribute && bytes.Equal(c.name, name) {
			if t.rows != c.last { // otherwise it is a list and may go on
				t.expected++
			}
			return c
		}
		t.expected++
	}
	if len(t.columns) == maxColumns {
		return nil
	}
	t.columns = append(t.columns, column{name: name, attribute: attribute})
	return &t.columns[len(t.columns)-1]
}

// column is an attribute or a child of each row.
type column struct {
	name      []byte
	attribute bool
	filled    int // rows that have it
	last      int // the last row that has it
	repeated  bool
	types     valueTypes
	low, high []byte // the lowest and highest number as text
	min, max  float64
	values    [][]byte // distinct words, up to maxValues+1
}

// valueTypes is a set of types of values.
type valueTypes uint8

const (
	integer valueTypes = 1 << iota
	decimal
	word
	nested
)

// fill notes that a row has the field.
func (c *column) fill(row int) {
	if c.last == row {
		c.repeated = true
		return
	}
	c.filled++
	c.last = row
}

// add adds a value.
func (c *column) add(row int, v []byte) {
	c.fill(row)
	if n, kind := parseNumber(v); kind != word {
		if c.types&(integer|decimal) == 0 || n < c.min {
			c.min, c.low = n, v
		}
		if c.types&(integer|decimal) == 0 || n > c.max {
			c.max, c.high = n, v
		}
		c.types |= kind
		return
	}
	c.types |= word
	if len(c.values) > maxValues {
		return
	}
	for _, known := range c.values {
		if bytes.Equal(known, v) {
			return
		}
	}
	c.values = append(c.values, v)
}

// parseNumber parses an integer or a decimal number. Values that only begin like a
// number or have leading zeros are words.
func parseNumber(v []byte) (float64, valueTypes) {
	digits := bytes.TrimPrefix(v, []byte("-"))
	if len(digits) == 0 || len(digits) > 15 || digits[0]-'0' > 9 || digits[0] == '0' && len(digits) > 1 && digits[1] != '.' {
		return 0, word
	}
	whole := 0
	for i, b := range digits {
		if b-'0' > 9 {
			f, err := strconv.ParseFloat(string(v), 64)
			if err != nil || bytes.IndexByte(digits[i:], '.') < 0 {
				return 0, word
			}
			return f, decimal
		}
		whole = whole*10 + int(b-'0')
	}
	if len(digits) < len(v) {
		whole = -whole
	}
	return float64(whole), integer
}

// caption returns the name of the column for a line of fields.
func (c *column) caption() []byte {
	var name []byte
	if c.attribute {
		name = append(name, '@')
	}
	return caption.Append(name, c.name, maxShown)
}

// appendDescription appends the type of the values, the values, and the share of the
// rows that have one.
func (c *column) appendDescription(dst []byte, all int) []byte {
	switch {
	case c.repeated:
		dst = append(dst, "list"...)
	case c.types == word:
		dst = c.appendValues(append(dst, "text"...), all)
	case c.types == nested:
		dst = append(dst, "element"...)
	case c.types == integer:
		dst = c.appendRange(append(dst, "int "...))
	case c.types&^(integer|decimal) == 0:
		dst = c.appendRange(append(dst, "number "...))
	default:
		dst = append(dst, "mixed"...)
	}
	return rows.AppendShare(dst, c.filled, all)
}

// appendRange appends the lowest and the highest number.
func (c *column) appendRange(dst []byte) []byte {
	if bytes.Equal(c.low, c.high) {
		return append(dst, c.low...)
	}
	return append(append(append(dst, c.low...), ".."...), c.high...)
}

// appendValues appends the values if they are few and short, or else their number.
func (c *column) appendValues(dst []byte, all int) []byte {
	start := len(dst)
	if len(c.values) <= rows.MaxListed {
		sep := byte(' ')
		for _, v := range c.values {
			dst = appendUnescaped(append(dst, sep), v, maxShown)
			sep = '/'
		}
		if len(dst)-start <= maxShown {
			return dst
		}
		dst = dst[:start]
	}
	if n := len(c.values); n > 1 && n <= maxValues && n*4 <= all {
		dst = append(strconv.AppendInt(append(dst, ' '), int64(n), 10), " values"...)
	}
	return dst
}
