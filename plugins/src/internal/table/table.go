// Package table reads the children of a JSON container as the rows of a table: their ids
// and titles, their common fields, and groups of rows.
//
// Nothing is decoded: a cell is a span of the text, and two cells are equal if their bytes
// are. Package column reads the rows, package label names them and package group groups
// them.
package table

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/group"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/label"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// Values of the config key groupBy that are no field.
const (
	Auto = group.Auto
	None = group.None
)

// Grouping is how the rows of a table are grouped.
type Grouping = group.Grouping

// Part is a group of rows.
type Part = group.Part

// Table is one container. Rows are its children in the order of the text.
type Table struct {
	set     column.Set
	labels  label.Labels
	grouper group.Grouper
	schema  rows.Schema
}

// Reader reads the tables of one scan, one after another.
type Reader struct {
	b       []byte
	scan    *jsonscan.Scanner
	options column.Options
	memory  *column.Memory
	table   Table // the last one
}

// NewReader returns a Reader of a finished scan over b. Containers of up to maxLines
// children are not grouped. Larger ones get columns of all common fields and of the field
// by, which Group will be asked for.
func NewReader(s *jsonscan.Scanner, b []byte, maxLines int, by string) *Reader {
	return &Reader{b: b, scan: s, options: column.Options{MaxRows: maxLines, By: by}, memory: column.NewMemory()}
}

// Children reads the container at a node. The scan must have stored its children. If
// schema is set, the table may have a schema even if it is not large. The table is valid
// until the next one is read.
func (r *Reader) Children(node int32, schema bool) *Table {
	n := r.scan.Node(node)
	o := r.options
	o.Keyed = n.Kind == jsonscan.Object
	o.Described = schema && !o.Keyed
	return r.read(o, node+1, r.scan.Next(node), int(n.Kids))
}

// Records is Children for the values at the top of a text of several values.
func (r *Reader) Records() *Table {
	o := r.options
	o.RowNoun, o.Described = "record", true
	end, count := int32(r.scan.Len()), 0
	for i := int32(0); i < end; i = r.scan.Next(i) {
		count++
	}
	return r.read(o, 0, end, count)
}

func (r *Reader) read(o column.Options, node, end int32, count int) *Table {
	t := &r.table
	t.set.Reset(r.memory, r.scan, r.b, o)
	t.set.Read(node, end, count)
	t.labels.Reset(&t.set)
	t.grouper.Reset(&t.labels)
	return t
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.set.Len() }

// Node returns the node of a row.
func (t *Table) Node(row int) int32 { return t.set.Nodes[row] }

// Rows returns the number of rows and the word for them: "12 objects".
func (t *Table) Rows() string { return caption.Count(t.set.Len(), t.set.Noun()) }

// AppendID appends the id of a row; see label.Labels.AppendID.
func (t *Table) AppendID(dst []byte, row int) []byte { return t.labels.AppendID(dst, row) }

// AppendTitle appends the title of a row; see label.Labels.AppendTitle.
func (t *Table) AppendTitle(dst []byte, row int, id []byte) []byte {
	return t.labels.AppendTitle(dst, row, id)
}

// Group groups the rows; see group.Grouper.Group.
func (t *Table) Group(by string, log bool) *Grouping { return t.grouper.Group(by, log) }
