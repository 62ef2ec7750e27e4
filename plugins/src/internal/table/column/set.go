// Package column reads the rows of a table into columns and keeps statistics of them.
//
// A Set holds the rows of one table, which are the children of a JSON container, and a
// Column for each field that is common or names rows. Values and Index find equal cells.
// How rows are named or grouped is not decided here.
package column

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/pool"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// Set holds the rows of one table in the order of the text.
type Set struct {
	cell.Text
	Options
	Scan    *jsonscan.Scanner
	Nodes   []int32 // by row: its node
	Objects int     // rows that are objects
	Columns []*Column
	Memory  *Memory
	Members []jsonscan.Member // memory for the members of one row

	keys  []cell.Cell // by row: its key; nil if they are not stored
	bits  uint64      // union of nameBit of the columns
	lists []*Column   // memory for Named
}

// Options are properties of a table.
type Options struct {
	Keyed     bool   // the rows are members of an object
	Described bool   // the fields of the rows are described to a reader
	MaxRows   int    // a table of at most this many rows is not grouped
	RowNoun   string // the word for a row; empty: it depends on the kinds of the rows
	By        string // a field that becomes a column even if few rows have it
}

// Column holds the cells of one field.
type Column struct {
	Name   string
	At     cell.Cell   // where the name first occurs
	IsID   bool        // the name is "id"
	Cells  []cell.Cell // by row
	Filled int         // cells that are not missing, null and "" included
	Kinds  Kinds

	values *Values
	index  *Index
	isTime answer
}

// Kinds is a set of kinds of values.
type Kinds uint8

// KindOf returns the set of one kind.
func KindOf(k jsonscan.Kind) Kinds { return 1 << k }

// Has reports whether k is in the set.
func (s Kinds) Has(k jsonscan.Kind) bool { return s&KindOf(k) != 0 }

const containers = Kinds(1<<jsonscan.Array | 1<<jsonscan.Object)

const (
	sampleRows   = 64      // rows by which common fields are found
	maxColumns   = 24      // columns of a table
	maxKeys      = 1 << 10 // keys that are stored: a longer list would take too much memory
	minDescribed = 8       // rows of which the fields are described: of fewer, the titles show them
)

// Memory is memory for one Set after another.
type Memory struct {
	Cells pool.Pool[cell.Cell]
	Ints  pool.Pool[int32]
	Inner []jsonscan.Member // of an object in a row

	counts   []int32
	counting counting
	names    names
	columns  [maxColumns]Column
	order    [maxColumns]*Column
	lists    [2 * maxColumns]*Column
	members  []jsonscan.Member
}

// NewMemory returns a Memory.
func NewMemory() *Memory { return &Memory{members: make([]jsonscan.Member, 0, 64)} }

// Counts returns n zeros. They are valid until the next call.
func (m *Memory) Counts(n int) []int32 {
	if n > len(m.counts) {
		m.counts = make([]int32, pool.Round(n))
	}
	clear(m.counts[:n])
	return m.counts[:n]
}

// Reset ends all loans of m and makes s an empty Set that uses m.
func (s *Set) Reset(m *Memory, scan *jsonscan.Scanner, b []byte, o Options) {
	m.Cells.Reclaim()
	m.Ints.Reclaim()
	m.names.reset()
	*s = Set{Text: cell.Text{B: b}, Options: o, Scan: scan, Memory: m, Columns: m.order[:0], lists: m.lists[:0], Members: m.members}
}

// Len returns the number of rows.
func (s *Set) Len() int { return len(s.Nodes) }

// IsLarge reports whether there are so many rows that they are grouped.
func (s *Set) IsLarge() bool { return len(s.Nodes) > s.MaxRows }

// Kind returns the kind of a row.
func (s *Set) Kind(row int) jsonscan.Kind { return s.Scan.Node(s.Nodes[row]).Kind }

// Key returns the key of a row with its quotes.
func (s *Set) Key(row int) cell.Cell {
	if row < len(s.keys) {
		return s.keys[row]
	}
	start, end := s.Scan.Key(s.Scan.Node(s.Nodes[row]))
	return cell.Cell{Start: start, End: end}
}

// ByName returns the column of a field, nil if there is none.
func (s *Set) ByName(name string) *Column {
	if s.bits&nameBit(name) == 0 {
		return nil
	}
	for _, c := range s.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Named returns the columns of those names that there are.
func (s *Set) Named(names []string) []*Column {
	from := len(s.lists)
	for _, name := range names {
		if c := s.ByName(name); c != nil {
			s.lists = append(s.lists, c)
		}
	}
	return s.lists[from:len(s.lists):len(s.lists)]
}

// Common returns the columns that at least half of the objects have.
func (s *Set) Common() []*Column {
	var out []*Column
	for _, c := range s.Columns {
		if 2*c.Filled >= s.Objects {
			out = append(out, c)
		}
	}
	return out
}

// IsUniform reports whether nine in ten rows are objects.
func (s *Set) IsUniform() bool { return rows.IsMost(s.Objects, len(s.Nodes)) }

// Noun returns the word for a row in a count.
func (s *Set) Noun() string {
	if s.RowNoun != "" {
		return s.RowNoun
	}
	if s.IsUniform() {
		return "object"
	}
	first := s.Kind(0)
	if slices.ContainsFunc(s.Nodes, func(node int32) bool { return s.Scan.Node(node).Kind != first }) {
		return "item"
	}
	switch first {
	case jsonscan.Array:
		return "array"
	case jsonscan.Text:
		return "text"
	case jsonscan.Number:
		return "number"
	}
	return "item"
}
