package table

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// maxSchema bounds the line of fields: well below a third of the budget of an
// index, so that the lines that can be opened keep their place.
const maxSchema = 480

// minTold is how many rows there are at least where their fields are told: what is
// said of fewer shows in those.
const minTold = 8

// Homogeneous reports whether the rows are records of one make: nine in ten
// are objects, and most of their fields are common.
func (t *Table) Homogeneous() bool {
	return t.told && t.objects*10 >= len(t.rows)*9 && len(t.common()) > 0
}

// common are the columns that at least half of the objects have.
func (t *Table) common() []*column {
	var out []*column
	for _, c := range t.columns {
		if 2*c.filled >= t.objects {
			out = append(out, c)
		}
	}
	return out
}

// Schema is one line about the common fields: name, type, how many distinct
// values or which range, and how often the field is there if not always. Of a
// field by which g groups it says what it refers to. Empty if the rows are not
// homogeneous.
func (t *Table) Schema(g *Grouping) string {
	if !t.Homogeneous() {
		return ""
	}
	line := append(make([]byte, 0, 2*maxSchema), "fields: "...)
	last := 0 // where what is said of the column before begins
	for i, c := range t.common() {
		end := len(line)
		if i > 0 {
			line = append(line, " | "...)
		}
		name := len(line)
		line = append(caption.Append(line, t.text(c.at), maxID), ' ')
		about := len(line)
		line = t.appendAbout(line, c, g)
		if i > 0 && bytes.Equal(line[about:], line[last:end]) { // x, y int
			end = last - len(" ")
			line = append(append(line[:end], ", "...), line[name:]...)
			about -= name - end - len(", ")
		}
		if len(line) > maxSchema {
			return string(append(line[:end], " | ..."...))
		}
		last = about
	}
	return string(line)
}

// appendAbout appends what is said of one column.
func (t *Table) appendAbout(dst []byte, c *column, g *Grouping) []byte {
	kind, n := t.survey(c)
	if g != nil && g.refers && g.By == c.name {
		dst = append(append(append(dst, "id of "...), article(g.noun)...), ", "...)
		dst = append(caption.AppendNumber(dst, int32(n)), " of "...)
		return caption.AppendNumber(dst, int32(len(t.rows)))
	}
	dst = append(dst, kind...)
	switch kind {
	case "text", "bool", "int", "number":
		if s := t.spread(c, kind); s != "" {
			dst = append(append(dst, ' '), s...)
		}
	}
	if n > 0 && n < len(t.rows) {
		dst = append(caption.AppendNumber(append(dst, ' '), int32(max(1, n*100/len(t.rows)))), '%')
	}
	return dst
}

// distinct are the different cells of a column if those are known, else all.
func (c *column) distinct() []cell {
	if c.vals != nil && c.vals.all {
		return c.vals.first
	}
	return c.cells
}

// survey is the type of the cells of a column, "mixed" if they differ and "null"
// if there is none, and how many say something: are neither null nor "".
func (t *Table) survey(c *column) (kind string, present int) {
	switch c.kinds &^ bit(jsonscan.Null) {
	case 0:
		kind = "null"
	case bit(jsonscan.Text):
		kind = "text"
	case bit(jsonscan.Array):
		kind = "array"
	case bit(jsonscan.Object):
		kind = "object"
	case bit(jsonscan.Bool):
		kind = "bool"
	case bit(jsonscan.Number):
		kind = t.numberType(c)
	default:
		kind = "mixed"
	}
	if c.kinds&(bit(jsonscan.Null)|bit(jsonscan.Text)) == 0 {
		return kind, c.filled
	}
	counted := c.vals != nil && c.vals.all
	for i, x := range c.distinct() {
		switch {
		case x.missing() || t.b[x.start] == 'n' || t.b[x.start] == '"' && x.size() <= 2:
		case counted:
			present += int(c.vals.count[i])
		default:
			present++
		}
	}
	return kind, present
}

// numberType is "int" unless there is another number in a column of numbers.
func (t *Table) numberType(c *column) string {
	for _, x := range c.distinct() {
		if _, ok := digits(t.b, x); ok {
			continue
		}
		for _, b := range t.text(x) {
			if b == '.' || b|0x20 == 'e' {
				return "number"
			}
		}
	}
	return "int"
}

// spread says how the values of a column lie: all distinct, a few named, how
// many, or between which.
func (t *Table) spread(c *column, kind string) string {
	if from, to, ok := t.timeRange(c); ok {
		return from + ".." + to
	}
	n, many := 0, false
	if c.index != nil {
		n = c.index.said
	} else {
		v := t.valuesOf(c, false)
		n, many = v.said, v.many
	}
	switch {
	case n == len(t.rows) && !many && kind == "text":
		return "unique"
	case n >= 1 && n <= 4 && kind != "number":
		if s := t.list(t.valuesOf(c, false)); s != "" {
			return s
		}
	case kind == "int" || kind == "number":
		return t.span(c)
	}
	if !many && n > 1 && n*4 <= len(t.rows) {
		return strconv.Itoa(n) + " values"
	}
	return ""
}

// list names the values, if that is short.
func (t *Table) list(v *values) string {
	var said []string
	for _, c := range v.first {
		if s := caption.Of(t.text(c), maxID); s != `""` && s != "null" {
			said = append(said, strings.Trim(s, `"`))
		}
	}
	if s := strings.Join(said, "/"); len(s) <= maxID*len(said)/2 && len(s) <= maxID {
		return s
	}
	return ""
}

// span is the least and the greatest number as they are written.
func (t *Table) span(c *column) string {
	var low, high cell
	var least, most float64
	for _, x := range c.distinct() {
		if !t.isNumber(x) {
			continue
		}
		n, ok := digits(t.b, x)
		f := float64(n)
		if !ok {
			if f, ok = parseNumber(t.text(x)); !ok {
				continue // beyond a float64
			}
		}
		if low.missing() || f < least {
			low, least = x, f
		}
		if high.missing() || f > most {
			high, most = x, f
		}
	}
	if low.missing() || low.size() > maxID || high.size() > maxID {
		return ""
	}
	return string(t.text(low)) + ".." + string(t.text(high))
}

// parseNumber is the value of a number; most are short integers.
func parseNumber(b []byte) (float64, bool) {
	if len(b) > 15 {
		f, err := strconv.ParseFloat(string(b), 64)
		return f, err == nil
	}
	n, digits := 0, b
	if b[0] == '-' {
		digits = b[1:]
	}
	for _, c := range digits {
		if c-'0' > 9 {
			f, err := strconv.ParseFloat(string(b), 64)
			return f, err == nil
		}
		n = n*10 + int(c-'0')
	}
	if b[0] == '-' {
		n = -n
	}
	return float64(n), true
}

func article(noun string) string {
	if noun != "" && strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}

// kindWord names the rows of a table in a count.
func (t *Table) kindWord() string {
	if t.noun != "" {
		return t.noun
	}
	if t.objects*10 >= len(t.rows)*9 {
		return "object"
	}
	for _, node := range t.rows {
		if k := t.scan.Node(node).Kind; k != t.scan.Node(t.rows[0]).Kind {
			return "item"
		}
	}
	switch t.scan.Node(t.rows[0]).Kind {
	case jsonscan.Array:
		return "array"
	case jsonscan.Text:
		return "text"
	case jsonscan.Number:
		return "number"
	}
	return "item"
}

// Rows says how many rows there are, and of what.
func (t *Table) Rows() string { return caption.Count(len(t.rows), t.kindWord()) }
