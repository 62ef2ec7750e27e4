// Package csvscan finds the records of delimited text (CSV, TSV) as byte spans.
//
// A record is whole lines, quotes respected. What stands in the columns is read
// once, to tell a reader what there is and to group records by what they share;
// no cell is copied.
package csvscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Scan is the part.Scan of delimited text: the same number of fields on nearly
// all records. Quotes are those of RFC 4180; records that are too short or too
// long stay records.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	at := len(b) - len(bytes.TrimPrefix(b, bom))
	lenient := c.Forced || named(c.File)
	d, ok := guess(b, at, lenient)
	if !ok {
		return nil, false
	}
	t := newTable(b, d)
	t.wish, t.forced = c.GroupBy, c.Forced
	if !t.read(at) && !c.Forced {
		return nil, false
	}
	return t.doc(), true
}

var bom = []byte("\xef\xbb\xbf")

// Hints are the extensions and media types that claim delimited text.
const Hints = "csv tsv tab text/csv text/tab-separated-values"

// named reports whether the file is called like delimited text.
func named(file string) bool {
	i := len(file) - len(".csv")
	if i < 0 {
		return false
	}
	switch string(bytes.ToLower([]byte(file[i:]))) {
	case ".csv", ".tsv", ".tab":
		return true
	}
	return false
}

// mostColumns are the columns that are looked into; records may have more.
const mostColumns = 24

// table is a text as records and columns.
type table struct {
	b        []byte
	d        dialect
	wish     string // part.Clues.GroupBy
	forced   bool   // part.Clues.Forced
	cells    cells
	start    []int32 // of records, the header not among them, and the end of the last
	lines    numbers // of the first lines of records
	columns  []*column
	row      []cell   // memory for those of one record
	head     [2]int32 // span of the header, empty if there is none
	headLine int32
	same     []bool    // by column: it says the same of all records
	counts   []int32   // memory for those of one column
	mixes    []*column // see mixed
	good     int       // records with as many fields as most have
}

func newTable(b []byte, d dialect) *table {
	t := &table{b: b, d: d, cells: newCells(b, d.delimiter)}
	rows := len(b)/d.size + len(b)/d.size/8 + 16
	t.start = make([]int32, 0, rows+1)
	for range min(d.columns, mostColumns) {
		t.columns = append(t.columns, &column{t: t, rows: rows, last: last{size: -1}})
	}
	t.row = make([]cell, len(t.columns))
	return t
}

// read reads the records from at on, and reports whether nine in ten have the
// number of fields of the sample.
func (t *table) read(at int) bool {
	line := int32(1)
	if t.d.header {
		at = skipEmpty(t.b, at, &line)
		start, from := at, line
		at = t.names(at, &line)
		t.head, t.headLine = [2]int32{int32(start), int32(at)}, from
	}
	end := at
	for at = skipEmpty(t.b, at, &line); at < len(t.b); at = skipEmpty(t.b, at, &line) {
		t.lines.note(len(t.start), line)
		t.start = append(t.start, int32(at))
		at = t.record(at, &line)
		end = at
		if rows := len(t.start); rows&1023 == 0 && t.good*10 < rows*8 && !t.forced {
			return false
		}
	}
	t.start = append(t.start, int32(end))
	return t.good*10 >= t.rows()*9
}

// rows is how many records there are.
func (t *table) rows() int { return len(t.start) - 1 }

// record reads one record and returns where the next line begins.
func (t *table) record(at int, line *int32) int {
	row, words := int32(len(t.start)-1), int32(len(t.b)-8)
	n, next := t.cells.record(at, t.row, line)
	*line++
	if n == t.d.columns {
		t.good++
	}
	for ; n < len(t.row); n++ {
		t.row[n] = cell{int32(next), int32(next)}
	}
	for i, c := range t.columns {
		switch x := t.row[i]; {
		case x.end-x.start == c.last.size && x.start <= words && c.last.is(t.b, x):
			c.filled++
			if c.of = append(c.of, c.last.value); c.at != nil {
				c.at = append(c.at, x)
			}
		case c.settled:
			if x.end > x.start {
				c.filled++
			}
		default:
			c.note(row, x)
		}
	}
	return min(next+1, len(t.b))
}

// names reads the header.
func (t *table) names(at int, line *int32) int {
	for n := 0; ; n++ {
		start, end, next := t.cells.field(at, line)
		if n < len(t.columns) {
			c := t.columns[n]
			c.name = string(bytes.TrimSpace(t.b[start:end]))
			c.wished = t.wish != "" && c.name == t.wish
		}
		if next == len(t.b) || t.b[next] == '\n' {
			*line++
			return min(next+1, len(t.b))
		}
		at = next + 1
	}
}

// skipEmpty skips lines without anything.
func skipEmpty(b []byte, at int, line *int32) int {
	for at < len(b) {
		switch {
		case b[at] == '\n':
			at++
		case b[at] == '\r' && at+1 < len(b) && b[at+1] == '\n':
			at += 2
		default:
			return at
		}
		*line++
	}
	return at
}
