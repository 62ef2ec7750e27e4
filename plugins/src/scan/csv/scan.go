// Package csv finds the records of delimited text (CSV, TSV) as byte spans.
//
// A record consists of whole lines; line ends inside quotes do not end it. The columns
// are read once, to describe them and to group the records by them. No cell is
// decoded or copied.
package csv

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// Hints are the extensions and media types of delimited text.
const Hints = "csv tsv tab text/csv text/tab-separated-values"

// Scan is the part.Scan of delimited text: nearly all records have the same number of
// fields. Quotes are those of RFC 4180. Records with fewer or more fields remain
// records. Tables in TOON are delimited text too.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	at := lines.Start(b)
	if endsWithCR(b, at) {
		b = withNewlines(b)
	}
	lenient := c.Forced || hasExtension(c.File)
	first := skipShared(b, at)
	d, ok := toonDialect(b, first)
	if !ok {
		d, ok = guessDialect(b, first, lenient)
	}
	if !ok {
		return nil, false
	}
	t := newTable(b, d)
	t.groupBy, t.forced = c.GroupBy, c.Forced
	if !t.read(at, first) && !c.Forced {
		return nil, false
	}
	return t.document(), true
}

// hasExtension reports whether a file name has an extension of delimited text.
func hasExtension(file string) bool {
	dot := strings.LastIndexByte(file, '.')
	return dot >= 0 && slices.Contains([]string{".csv", ".tsv", ".tab"}, strings.ToLower(file[dot:]))
}

// document returns the document of a table that was read.
func (t *table) document() *part.Doc {
	for i, c := range t.columns {
		if c.name == "" {
			c.name = "c" + strconv.Itoa(i+1)
		}
	}
	n := t.rows()
	d := &part.Doc{Count: caption.Count(n, "record"), Lines: []string{t.schema()}}
	g := grouper{table: t}
	all, runs := subset{to: int32(n)}, n > rows.MaxNamed
	groups := g.byGiven(all, runs)
	if d.Grouped = groups != nil; !d.Grouped {
		groups = g.group(all, runs, rows.MaxLevels)
	}
	names := &namer{table: t, constant: constantColumns(t.columns, n), row: make([]cell.Cell, t.d.columns+len(t.columns))} // records may have more fields
	records := rows.Records{
		Start: t.start, HeadStart: t.head[0], HeadEnd: t.head[1], Groups: groups,
		NameHead: names.nameHead, NameRecord: names.nameRecord,
	}
	records.AddTo(d)
	return d
}

// constantColumns reports for each column whether all records have the same value.
func constantColumns(columns []*column, rows int) []bool {
	out := make([]bool, len(columns))
	for i, c := range columns {
		out[i] = rows > 1 && (c.kind == none || c.filled == rows && !c.many && len(c.values.first) == 1)
	}
	return out
}

// namer names the header and the records of a table.
type namer struct {
	*table
	constant []bool      // by column: its value does not distinguish records
	row      []cell.Cell // memory for the cells of one record
	raw      []byte      // memory for the fields of a title
}

func (w *namer) nameHead(n *part.Name) {
	n.ID = strconv.AppendInt(append(n.ID, 'L'), int64(w.headLine), 10)
	n.Title = caption.Append(append(n.Title, "header: "...), w.b[w.head[0]:w.head[1]], rows.MaxTitle-len("header: "))
}

func (w *namer) nameRecord(record int, n *part.Name) {
	n.ID = caption.AppendNumber(append(n.ID, 'L'), w.lines.of(record))
	n.Title = w.appendFields(n.Title, int(w.start[record]))
	if len(n.Title) == 0 {
		n.Title = append(n.Title, "empty record"...)
	}
}

// appendFields appends the first fields of the record at "at", without those that are
// the same in all records.
func (w *namer) appendFields(dst []byte, at int) []byte {
	raw, line := w.raw[:0], int32(0)
	count, _ := w.fields.record(at, w.row, &line)
	for n, x := range w.row[:min(count, len(w.row))] {
		if x.End == x.Start || n < len(w.constant) && w.constant[n] {
			continue
		}
		if len(raw) > 0 {
			raw = append(raw, ',', ' ')
		}
		if raw = append(raw, w.b[x.Start:min(x.End, x.Start+2*rows.MaxTitle)]...); len(raw) >= rows.MaxTitle {
			break
		}
	}
	w.raw = raw
	return caption.Append(dst, raw, rows.MaxTitle)
}
