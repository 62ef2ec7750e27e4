// Package table reads the children of a JSON container as the rows of a table:
// what each is called, which fields they share, and by what they fall into
// groups that mean something to a reader.
//
// Nothing is decoded: a cell is a span of the text, and cells are equal if
// their bytes are.
package table

import (
	"encoding/binary"

	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// Table is one container. Rows are its children in the order of the text.
type Table struct {
	b       []byte
	scan    *jsonscan.Scanner
	rows    []int32 // nodes of the children
	keyed   bool    // they are members of an object
	noun    string  // what a row is called; empty: by its kind
	objects int     // rows that are objects
	maxRows int     // rows that need no group
	columns []*column

	ids    []*column // those of idFields, in that order
	titles []*column // those of titleFields
	spares []*column // those of spareFields

	idColumn []int8 // by row: see idCell
	memory   *memory
	buf      []byte            // memory for one cell
	members  []jsonscan.Member // memory for those of one row
}

// column holds the cells of one field.
type column struct {
	name   string
	id     bool   // the name is "id"
	cells  []cell // one for each row
	filled int    // cells that are there, null and "" included
	word   uint64 // a name of up to 8 bytes, the first of them lowest, shifted to the top
	shift  uint   // bits by which it is shifted
	vals   *values
}

// cell is the exact text of a value; the zero cell is a field the row has not.
type cell struct{ start, end int32 }

func (c cell) missing() bool { return c.end == 0 }

func (c cell) size() int { return int(c.end - c.start) }

const (
	sampleRows = 64 // rows that tell which fields are common
	maxColumns = 24
)

// Reader reads the tables of one scan, one after another.
type Reader struct {
	b       []byte
	scan    *jsonscan.Scanner
	maxRows int
	memory  memory
}

// NewReader returns a Reader of a finished scan over b. Containers of up to
// maxLines children get the columns that name rows, larger ones all that are
// common.
func NewReader(s *jsonscan.Scanner, b []byte, maxLines int) *Reader {
	return &Reader{b: b, scan: s, maxRows: maxLines}
}

// Children reads the container at node "at", whose children must have been
// noted. The table is good until the next one is read.
func (r *Reader) Children(at int32) *Table {
	n := r.scan.Node(at)
	t := r.table()
	t.keyed = n.Kind == jsonscan.Object
	t.fill(at+1, n.Next)
	return t
}

// Records is Children for the top values, which stand one after another.
func (r *Reader) Records() *Table {
	t := r.table()
	t.noun = "record"
	t.fill(0, int32(r.scan.Len()))
	return t
}

func (r *Reader) table() *Table {
	r.memory.reclaim()
	return &Table{b: r.b, scan: r.scan, maxRows: r.maxRows, memory: &r.memory}
}

// fill reads the rows, from a node up to the node "end", and the columns, those that are common of a large table and those that
// name rows. The few members of an object are called by their keys.
func (t *Table) fill(node, end int32) {
	count := 0
	for i := node; i < end; i = t.scan.Node(i).Next {
		count++
	}
	t.rows = t.memory.ints.take(count)[:0]
	for ; node < end; node = t.scan.Node(node).Next {
		t.rows = append(t.rows, node)
	}
	large := len(t.rows) > t.maxRows
	if t.keyed && !large {
		return
	}
	if large {
		t.chooseCommon()
	}
	for r := range t.rows {
		if t.kind(r) == jsonscan.Object {
			t.objects++
			t.readRow(r)
		}
	}
	t.ids, t.titles, t.spares = t.named(idFields), t.named(titleFields), t.named(spareFields)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Node is the node of a row.
func (t *Table) Node(row int) int32 { return t.rows[row] }

// chooseCommon looks at rows from all over the table: what only the first of
// them have may be rare.
func (t *Table) chooseCommon() {
	var s sample
	objects := 0
	step := max(1, len(t.rows)/sampleRows)
	for r := 0; r < len(t.rows); r += step {
		if t.kind(r) != jsonscan.Object {
			continue
		}
		objects++
		s.next = 0
		t.members = t.scan.Members(t.members[:0], t.rows[r])
		for _, m := range t.members {
			s.add(t.b[m.KeyStart+1 : m.KeyEnd-1])
		}
	}
	for i, name := range s.names {
		if s.counts[i]*5 >= objects*2 { // two fifths: a sample may be off
			t.addColumn(name)
		}
	}
}

// sample counts field names. Rows tend to have them in one order, so the search
// goes on after the last one found.
type sample struct {
	names  []string
	counts []int
	next   int
}

// maxNames bounds a sample: rows of ever new names have no common ones.
const maxNames = 256

func (s *sample) add(name []byte) {
	for range s.names {
		if s.next >= len(s.names) {
			s.next = 0
		}
		if s.names[s.next] == string(name) {
			s.counts[s.next]++
			s.next++
			return
		}
		s.next++
	}
	if len(s.names) < maxNames {
		s.names, s.counts = append(s.names, string(name)), append(s.counts, 1)
	}
}

func (t *Table) addColumn(name string) *column {
	if len(t.columns) == maxColumns {
		return nil
	}
	c := &column{name: name, id: name == "id", cells: t.memory.cells.take(len(t.rows))}
	if len(name) <= 8 {
		var word [8]byte
		copy(word[:], name)
		c.shift = uint(64 - 8*len(name))
		c.word = binary.LittleEndian.Uint64(word[:]) << c.shift
	}
	t.columns = append(t.columns, c)
	return c
}

// readRow fills the cells of one row. Rows tend to have their fields in one
// order, so the column after the last one found is tried first.
func (t *Table) readRow(row int) {
	next := 0
	t.members = t.scan.Members(t.members[:0], t.rows[row])
	for i := range t.members {
		m := &t.members[i]
		key := t.b[m.KeyStart+1 : m.KeyEnd-1]
		if next >= len(t.columns) || !t.columns[next].is(key, t.b[m.KeyStart+1:]) {
			if next = t.columnAt(key); next < 0 {
				next = 0
				continue
			}
		}
		c := t.columns[next]
		if c.cells[row].missing() { // of duplicate keys the first counts
			c.cells[row] = cell{m.Start, m.End}
			c.filled++
		}
		next++
	}
}

// is reports whether key, which begins the text rest, is the name of c. Short
// ones are compared without a call.
func (c *column) is(key, rest []byte) bool {
	if len(key) != len(c.name) {
		return false
	}
	if len(rest) >= 8 && len(key) <= 8 {
		return binary.LittleEndian.Uint64(rest)<<c.shift == c.word
	}
	return string(key) == c.name
}

// columnAt finds the column of a key; one that names rows is made, others give -1.
func (t *Table) columnAt(key []byte) int {
	for i, c := range t.columns {
		if len(c.name) == len(key) && c.name == string(key) {
			return i
		}
	}
	if isNaming(string(key)) && t.addColumn(string(key)) != nil {
		return len(t.columns) - 1
	}
	return -1
}

func (t *Table) kind(row int) jsonscan.Kind { return t.scan.Node(t.rows[row]).Kind }

func (t *Table) column(name string) *column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// named are the columns of some names that there are.
func (t *Table) named(names []string) (out []*column) {
	for _, name := range names {
		if c := t.column(name); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// text is the exact text of a cell, empty for a missing one.
func (t *Table) text(c cell) []byte { return t.b[c.start:c.end] }

// isText reports whether a cell is a string that is not empty.
func (t *Table) isText(c cell) bool { return c.size() > 2 && t.b[c.start] == '"' }

// isScalar reports whether a cell is there and no container.
func (t *Table) isScalar(c cell) bool {
	return !c.missing() && t.b[c.start] != '{' && t.b[c.start] != '['
}

// isNumber reports whether a cell is a number.
func (t *Table) isNumber(c cell) bool {
	return !c.missing() && (t.b[c.start] == '-' || t.b[c.start]-'0' <= 9)
}
