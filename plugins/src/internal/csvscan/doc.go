package csvscan

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxNamed is how many records are named one by one. Of more than that, runs
// are named, which are read in windows of lines.
const maxNamed = 60_000

// doc makes a document of a table that has been read.
func (t *table) doc() *part.Doc {
	for i, c := range t.columns {
		if c.name == "" {
			c.name = "c" + strconv.Itoa(i+1)
		}
	}
	rows := t.rows()
	d := &part.Doc{Count: caption.Count(rows, "record"), Lines: []string{t.schema()}}
	w := &writer{table: t, doc: d, named: rows <= maxNamed}
	all := subset{to: int32(rows)}
	groups := t.byWish(all, !w.named)
	if d.Grouped = groups != nil; !d.Grouped {
		groups = t.split(all, !w.named, maxLevels)
	}
	if !w.named && groups == nil {
		return d // windows of the host's are all there is
	}
	parts := 1 + count(groups)
	if w.named {
		parts += rows
	}
	d.Parts, w.of = make([]part.Part, 0, parts), make([]int32, 0, parts)
	if t.head[1] > t.head[0] {
		w.add(part.Part{Start: t.head[0], End: t.head[1], Parent: -1}, header)
	}
	if groups == nil {
		w.records(all, -1)
	}
	w.groups(groups, -1)
	t.same = constant(t.columns, rows)
	t.row = make([]cell, t.d.columns+len(t.columns)) // room for records that are too long
	d.Name = w.name
	return d
}

// count is how many groups there are, on all levels.
func count(groups []group) int {
	n := len(groups)
	for _, g := range groups {
		n += count(g.inner)
	}
	return n
}

// constant are the columns that say the same of each record.
func constant(columns []*column, rows int) []bool {
	out := make([]bool, len(columns))
	for i, c := range columns {
		out[i] = rows > 1 && (c.kind == none || c.filled == rows && !c.many && len(c.values.first) == 1)
	}
	return out
}

// writer makes the parts of a table.
type writer struct {
	*table
	doc   *part.Doc
	named bool    // records are parts
	of    []int32 // by part: its record, header, or a group before that
	said  []group
	raw   []byte // memory for the fields of a title
}

// header and what is below it are no records; a group n is header-1-n.
const header = -1

func (w *writer) add(p part.Part, of int32) {
	w.doc.Parts = append(w.doc.Parts, p)
	w.of = append(w.of, of)
}

func (w *writer) groups(groups []group, parent int32) {
	for _, g := range groups {
		p := part.Part{Parent: parent, Kind: part.Group}
		if !w.named {
			p = part.Part{Start: w.start[g.from], End: w.start[g.to], Parent: parent}
		}
		at := int32(len(w.doc.Parts))
		w.add(p, header-1-int32(len(w.said)))
		w.said = append(w.said, g)
		w.groups(g.inner, at)
		if len(g.inner) == 0 && w.named {
			w.records(g.subset, at)
		}
	}
}

func (w *writer) records(s subset, parent int32) {
	for i := range s.size() {
		row := s.row(i)
		w.add(part.Part{Start: w.start[row], End: w.start[row+1], Parent: parent, Kind: part.Record}, row)
	}
}

func (w *writer) name(i int, n *part.Name) {
	switch of := w.of[i]; {
	case of == header:
		p := w.doc.Parts[i]
		n.ID = strconv.AppendInt(append(n.ID, 'L'), int64(w.headLine), 10)
		n.Title = caption.Append(append(n.Title, "header: "...), bytes.TrimPrefix(w.b[p.Start:p.End], bom), maxTitle-len("header: "))
	case of < header:
		g := &w.said[header-1-of]
		n.ID, n.Title = append(n.ID, g.id...), append(n.Title, g.title...)
	default:
		n.ID = caption.AppendNumber(append(n.ID, 'L'), w.lines.of(int(of)))
		n.Title = w.fields(n.Title, int(w.start[of]))
		if len(n.Title) == 0 {
			n.Title = append(n.Title, "empty record"...)
		}
	}
}

// fields appends the first fields of the record at "at" that tell it from others.
func (w *writer) fields(dst []byte, at int) []byte {
	raw, line := w.raw[:0], int32(0)
	count, _ := w.cells.record(at, w.row, &line)
	for n, x := range w.row[:min(count, len(w.row))] {
		if x.end == x.start || n < len(w.same) && w.same[n] {
			continue
		}
		if len(raw) > 0 {
			raw = append(raw, ',', ' ')
		}
		if raw = append(raw, w.b[x.start:min(x.end, x.start+2*maxTitle)]...); len(raw) >= maxTitle {
			break
		}
	}
	w.raw = raw
	return caption.Append(dst, raw, maxTitle)
}
