package csv

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// maxColumns is the number of columns that are read; records may have more.
const maxColumns = 24

// table is a text as records and columns.
type table struct {
	b        []byte
	d        dialect
	groupBy  string // part.Clues.GroupBy
	forced   bool   // part.Clues.Forced
	fields   fieldReader
	start    []int32 // offset of each record without the header, then the end of the last one
	lines    lineNumbers
	columns  []*column
	row      []cell.Cell // memory for the cells of one record
	head     [2]int32    // span of the header, empty if there is none
	headLine int32
	regular  int // records with the usual number of fields
}

func newTable(b []byte, d dialect) *table {
	t := &table{b: b, d: d, fields: newFieldReader(b, d.delimiter)}
	rows := len(b)/d.size + len(b)/d.size/8 + 16
	t.start = make([]int32, 0, rows+1)
	for range min(d.columns, maxColumns) {
		t.columns = append(t.columns, &column{b: b, rows: rows, last: lastCell{size: -1}})
	}
	t.row = make([]cell.Cell, len(t.columns))
	return t
}

// rows returns the number of records.
func (t *table) rows() int { return len(t.start) - 1 }

// read reads the header and the records from first on. Lines before, from "at" on, are about
// the table. It reports whether nine in ten records have the number of fields of the sample.
func (t *table) read(at, first int) bool {
	line := int32(1)
	if first == at {
		at = skipEmpty(t.b, at, &line)
		first = at
	}
	start, from := at, line
	line += int32(lines.Count(t.b[at:first]))
	if at = first; t.d.header {
		at = t.readHeader(skipEmpty(t.b, at, &line), &line)
	}
	if at > start {
		t.head, t.headLine = [2]int32{int32(start), int32(at)}, from
	}
	end := at
	for at = skipEmpty(t.b, at, &line); at < len(t.b); at = skipEmpty(t.b, at, &line) {
		t.lines.add(len(t.start), line)
		t.start = append(t.start, int32(at))
		at = t.readRecord(at, &line)
		end = at
		if rows := len(t.start); rows&1023 == 0 && t.regular*10 < rows*8 && !t.forced && !t.d.ragged {
			return false
		}
	}
	t.start = append(t.start, int32(end))
	return t.d.ragged || rows.IsMost(t.regular, t.rows())
}

// readRecord reads one record and returns the offset of the next line.
func (t *table) readRecord(at int, line *int32) int {
	row, words := int32(len(t.start)-1), int32(len(t.b)-8)
	if t.d.isTOON() {
		at = min(at+toonIndent, len(t.b))
	}
	n, next := t.fields.record(at, t.row, line)
	*line++
	if n == t.d.columns {
		t.regular++
	}
	for ; n < len(t.row); n++ {
		t.row[n] = cell.Cell{Start: int32(next), End: int32(next)}
	}
	for i, c := range t.columns {
		switch x := t.row[i]; {
		case x.End-x.Start == c.last.size && x.Start <= words && c.last.is(t.b, x):
			c.filled++
			if c.of = append(c.of, c.last.value); c.times != nil {
				c.times = append(c.times, x)
			}
		case c.settled:
			if x.End > x.Start {
				c.filled++
			}
		default:
			c.add(row, x)
		}
	}
	return min(next+1, len(t.b))
}

// readHeader reads the names of the columns and returns the offset of the next line.
func (t *table) readHeader(at int, line *int32) int {
	r := t.fields
	if t.d.isTOON() {
		at, r = t.d.names[0], newFieldReader(t.b[:t.d.names[1]], t.d.delimiter)
	}
	for n := 0; ; n++ {
		start, end, next := r.field(at, line)
		if n < len(t.columns) {
			c := t.columns[n]
			c.name = string(bytes.TrimSpace(t.b[start:end]))
			c.wanted = t.groupBy != "" && c.name == t.groupBy
		}
		if next == len(r.b) || t.b[next] == '\n' {
			*line++
			return lines.End(t.b, next)
		}
		at = next + 1
	}
}

// schema returns the line that describes the columns.
func (t *table) schema() string {
	head := "fields: "
	switch t.d.delimiter {
	case ',':
	case '\t':
		head = "fields between tabs: "
	default:
		head = "fields between " + string(rune(t.d.delimiter)) + ": "
	}
	s := rows.NewSchema(head)
	for _, c := range t.columns {
		s.Add([]byte(c.title()), func(dst []byte) []byte { return c.describe(dst, t.rows()) })
	}
	return s.Finish(t.d.columns - len(t.columns))
}

// title returns the name of a column on one line.
func (c *column) title() string { return caption.Of([]byte(c.name), rows.MaxID) }

// describe appends the type of a column, how its values are distributed, and how many
// of the records have one.
func (c *column) describe(dst []byte, all int) []byte {
	kind := [...]string{none: "empty", text: "text", boolean: "bool", integer: "int", decimal: "number", timestamp: "text"}[c.kind]
	dst = append(dst, kind...)
	if c.kind == timestamp {
		dst = append(append(append(append(dst, ' '), c.first.String()...), ".."...), c.final.String()...)
	} else {
		values := rows.Values{Type: kind, Rows: all, Distinct: len(c.values.first), Many: c.many, List: c.list, Range: c.numberRange}
		dst = values.Append(dst)
	}
	return rows.AppendShare(dst, c.filled, all)
}

// list returns captions of the distinct values.
func (c *column) list() (out []string) {
	for _, x := range c.values.first {
		out = append(out, caption.Of(c.b[x.Start:x.End], rows.MaxID))
	}
	return out
}

// numberRange returns the range of the numbers, empty if there are none.
func (c *column) numberRange() string {
	if c.low.IsMissing() {
		return ""
	}
	return rows.Range(c.b[c.low.Start:c.low.End], c.b[c.high.Start:c.high.End])
}
