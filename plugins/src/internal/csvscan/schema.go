package csvscan

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// maxSchema bounds the line of columns: well below a third of the budget of an
// index.
const maxSchema = 480

// schema is one line about the columns: name, type, how many distinct values or
// which range, and how often there is one if not always.
func (t *table) schema() string {
	line, last := "fields"+t.separated()+": ", ""
	for i, c := range t.columns {
		about, name := t.about(c), caption.Of([]byte(c.name), maxID)
		entry := " | " + name + " " + about
		switch {
		case i == 0:
			entry = entry[3:]
		case about == last: // x, y int
			line = strings.TrimSuffix(line, " "+last)
			entry = ", " + name + " " + about
		}
		if len(line)+len(entry) > maxSchema {
			return line + " | ..."
		}
		line, last = line+entry, about
	}
	if t.d.columns > len(t.columns) {
		line += " | " + strconv.Itoa(t.d.columns-len(t.columns)) + " more"
	}
	return line
}

func (t *table) separated() string {
	switch t.d.delimiter {
	case '\t':
		return " between tabs"
	case ',':
		return ""
	}
	return " between " + string(rune(t.d.delimiter))
}

// about describes one column.
func (t *table) about(c *column) string {
	words := [...]string{none: "empty", text: "text", boolean: "bool", integer: "int", number: "number", moment: "text"}[c.kind]
	if s := t.spread(c); s != "" {
		words += " " + s
	}
	if rows := t.rows(); c.filled > 0 && c.filled < rows {
		words += " " + strconv.Itoa(max(1, c.filled*100/rows)) + "%"
	}
	return words
}

// spread says how the values of a column lie: all distinct, a few named, how
// many, or between which.
func (t *table) spread(c *column) string {
	n := len(c.values.first)
	switch {
	case c.kind == moment:
		return c.first.String() + ".." + c.final.String()
	case c.kind == text && n == t.rows() && !c.many && n > 1:
		return "unique"
	case n >= 1 && n <= 4 && c.kind != number:
		if s := t.list(c); s != "" {
			return s
		}
	}
	if c.kind == integer || c.kind == number {
		return t.span(c)
	}
	if !c.many && n > 1 && n*4 <= t.rows() {
		return strconv.Itoa(n) + " values"
	}
	return ""
}

// list names the values, if that is short.
func (t *table) list(c *column) string {
	var said []string
	for _, x := range c.values.first {
		said = append(said, caption.Of(t.b[x.start:x.end], maxID))
	}
	if s := strings.Join(said, "/"); len(s) <= maxID*len(said)/2 && len(s) <= maxID {
		return s
	}
	return ""
}

// span is the least and the greatest number as they are written.
func (t *table) span(c *column) string {
	if c.low.end == 0 || c.low.size() > maxID || c.high.size() > maxID {
		return ""
	}
	return string(t.b[c.low.start:c.low.end]) + ".." + string(t.b[c.high.start:c.high.end])
}
