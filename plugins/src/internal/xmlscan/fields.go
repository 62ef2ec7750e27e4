package xmlscan

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

const (
	maxFields   = 480  // bytes of a line of fields: a third of an index at most
	maxColumns  = 16   // fields that are looked at
	maxRows     = 500  // elements that are: what they have in common shows early
	maxValues   = 24   // values of a field that are told apart
	maxListed   = 4    // that are listed
	leastFields = 6000 // bytes of an element that is mostly not read as a whole: only then it tells its fields
)

// fields is one line about the children of an element that are of one make: what
// nearly all of them have, its type, its values or their range, and how many have
// it if not all. It is empty if the children differ.
func (d *document) fields(i int) string {
	t := table{document: d}
	if !t.read(i) {
		return ""
	}
	line := []byte("fields: ")
	if t.rows == maxRows {
		line = append(strconv.AppendInt([]byte("fields of the first "), maxRows, 10), ": "...)
	}
	start := len(line)
	for k := range t.columns {
		c := &t.columns[k]
		if 2*c.filled < t.rows {
			continue
		}
		before := len(line)
		line = c.append(apart(line, start, " | "), t.rows)
		if len(line) > maxFields {
			return string(append(line[:before], " | ..."...))
		}
	}
	if len(line) == start {
		return ""
	}
	return string(line)
}

// table are children of an element that have one tag.
type table struct {
	*document
	columns []column
	rows    int
	guess   int // column that is probably asked for next
}

// column is an attribute or a child of each row.
type column struct {
	name      []byte
	attribute bool
	filled    int // rows that have it
	last      int // row that had it last
	repeated  bool
	kinds     kind
	low, high []byte // numbers
	least     float64
	most      float64
	values    [][]byte
}

// kind is what a value is; a column may have several.
type kind uint8

const (
	isInt kind = 1 << iota
	isDecimal
	isWord
	isNested
)

// read reads the children of element i; false: they are not of one make, which
// are nine of ten with the same tag.
func (t *table) read(i int) bool {
	most, same, all := -1, 0, 0
	for j := t.first(i); all < maxRows && t.holds(i, j); j = t.document.next(j) {
		if !t.isElement(j) {
			continue
		}
		if same == 0 {
			most = j
		}
		if all++; t.sameTag(most, j) { // what most of them are is left at last
			same++
		} else {
			same--
		}
	}
	if same*10 < all*8 || all <= maxLines { // nine of ten, less the others
		return false
	}
	for j := t.first(i); t.rows < maxRows && t.holds(i, j); j = t.document.next(j) {
		if t.isElement(j) && t.sameTag(most, j) {
			t.row(j)
		}
	}
	return true
}

// row reads the attributes and the children of an element.
func (t *table) row(i int) {
	t.rows++
	t.guess = 0
	for a := attributesAt(t.b, int(t.parts[i].Start)); a.next(); {
		if isNamespace(a.name) || len(a.value) == 0 {
			continue
		}
		if c := t.column(a.name, true); c != nil {
			c.add(t.rows, a.value)
		}
	}
	var c *column // of the child before
	for j, before := t.first(i), what(0); t.holds(i, j); j = t.document.next(j) {
		if !t.isElement(j) {
			continue
		}
		w := t.tagNumber(j)
		if c != nil && c.repeated && w == before && w > 0 {
			continue // lists are long
		}
		before = w
		tag := t.tagOf(j)
		if c = t.column(tag, false); c == nil {
			continue
		}
		if c.repeated {
			c.fill(t.rows)
		} else if v := t.value(j, len(tag)); v != nil {
			c.add(t.rows, v)
		} else if text := t.textOf(j, len(tag)); len(text) > 0 {
			c.add(t.rows, text)
		} else {
			c.nested(t.rows)
		}
	}
}

// column is that of a name, nil if there are too many. Rows have them mostly in
// the same order.
func (t *table) column(name []byte, attribute bool) *column {
	for range t.columns {
		if t.guess >= len(t.columns) {
			t.guess = 0
		}
		c := &t.columns[t.guess]
		if c.attribute == attribute && bytes.Equal(c.name, name) {
			if t.rows != c.last { // else there may be more of them
				t.guess++
			}
			return c
		}
		t.guess++
	}
	if len(t.columns) == maxColumns {
		return nil
	}
	t.columns = append(t.columns, column{name: name, attribute: attribute})
	return &t.columns[len(t.columns)-1]
}

func (c *column) fill(row int) {
	if c.last == row {
		c.repeated = true
		return
	}
	c.filled++
	c.last = row
}

func (c *column) nested(row int) {
	c.fill(row)
	c.kinds |= isNested
}

// add notes a value.
func (c *column) add(row int, v []byte) {
	c.fill(row)
	if n, kind := number(v); kind != isWord {
		if c.kinds&(isInt|isDecimal) == 0 || n < c.least {
			c.least, c.low = n, v
		}
		if c.kinds&(isInt|isDecimal) == 0 || n > c.most {
			c.most, c.high = n, v
		}
		c.kinds |= kind
		return
	}
	c.kinds |= isWord
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

// number is the value of a number as XML has them; what only begins like one, or
// has zeros in front, is a word.
func number(v []byte) (n float64, k kind) {
	digits := bytes.TrimPrefix(v, []byte("-"))
	if len(digits) == 0 || len(digits) > 15 || digits[0] < '0' || digits[0] > '9' || digits[0] == '0' && len(digits) > 1 && digits[1] != '.' {
		return 0, isWord
	}
	whole := 0
	for i, b := range digits {
		if b < '0' || b > '9' {
			f, err := strconv.ParseFloat(string(v), 64)
			if err != nil || bytes.IndexByte(digits[i:], '.') < 0 {
				return 0, isWord
			}
			return f, isDecimal
		}
		whole = whole*10 + int(b-'0')
	}
	if len(digits) < len(v) {
		whole = -whole
	}
	return float64(whole), isInt
}

// append describes a column of so many rows.
func (c *column) append(dst []byte, rows int) []byte {
	if c.attribute {
		dst = append(dst, '@')
	}
	dst = append(caption.Append(dst, c.name, maxShown), ' ')
	switch {
	case c.repeated:
		dst = append(dst, "list"...)
	case c.kinds == isWord:
		dst = c.appendValues(append(dst, "text"...), rows)
	case c.kinds == isNested:
		dst = append(dst, "element"...)
	case c.kinds == isInt:
		dst = c.appendRange(append(dst, "int"...))
	case c.kinds&^(isInt|isDecimal) == 0:
		dst = c.appendRange(append(dst, "number"...))
	default:
		dst = append(dst, "mixed"...)
	}
	if c.filled < rows {
		dst = append(strconv.AppendInt(append(dst, ' '), int64(max(1, c.filled*100/rows)), 10), '%')
	}
	return dst
}

func (c *column) appendRange(dst []byte) []byte {
	dst = append(append(dst, ' '), c.low...)
	if !bytes.Equal(c.low, c.high) {
		dst = append(append(dst, ".."...), c.high...)
	}
	return dst
}

// appendValues lists a few values, or says how many there are.
func (c *column) appendValues(dst []byte, rows int) []byte {
	start := len(dst)
	if len(c.values) <= maxListed {
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
	if n := len(c.values); n > 1 && n <= maxValues && n*4 <= rows {
		dst = append(strconv.AppendInt(append(dst, ' '), int64(n), 10), " values"...)
	}
	return dst
}
