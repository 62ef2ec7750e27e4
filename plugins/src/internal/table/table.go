// Package table reads the children of a JSON container as the rows of a table:
// what each is called, which fields they share, and by what they fall into
// groups that mean something to a reader.
//
// Nothing is decoded: a cell is a span of the text, and cells are equal if
// their bytes are.
package table

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// Table is one container. Rows are its children in the order of the text.
type Table struct {
	b       []byte
	scan    *jsonscan.Scanner
	rows    []int32 // nodes of the children
	keyed   bool    // they are members of an object
	keys    []cell  // theirs; nil: they are not noted
	noun    string  // what a row is called; empty: by its kind
	objects int     // rows that are objects
	maxRows int     // rows that need no group
	by      string  // a field that is asked for, however rare
	large   bool    // they are more than need no group
	sparse  bool    // of many members so few are objects that no rule groups by what those have in common
	told    bool    // its fields are told to a reader
	columns []*column
	have    uint64 // a bit for the name of each column: see nameBit

	lists   []*column // memory for those that follow
	ids     []*column // those of idFields, in that order
	titles  []*column // those of titleFields
	spares  []*column // those of spareFields
	mixes   []*column // those of mixFields that half of the objects have
	callers []*column // those of calledFields
	usual   []*column // those of preferred
	opaque  []*column // those of titleFields and spareFields that no reader chooses by

	tellers   []teller // see tell
	toldApart bool     // they were chosen
	kindsOnly bool     // titles and spares say of what kind a row is, if anything

	keyLead  []byte // see rowLead
	leadOpen bool   // it is still to be found
	idColumn []int8 // by row: see idCell
	called   cell   // the last id that was appended as it is in the text
	memory   *memory
	buf      []byte            // memory for one cell
	members  []jsonscan.Member // memory for those of one row
}

// column holds the cells of one field.
type column struct {
	name   string
	at     cell   // where the name stands first
	id     bool   // the name is "id"
	cells  []cell // one for each row
	filled int    // cells that are there, null and "" included
	kinds  kinds  // of those
	vals   *values
	index  *index // of one by which rows are found or named
	time   answer // to isTime
	groups int    // that it would make of the subset asked for last
	most   int    // rows in the largest of them; 0: it is no candidate
}

// kinds are kinds of values, a bit for each.
type kinds uint8

func bit(k jsonscan.Kind) kinds { return 1 << k }

const containers = kinds(1<<jsonscan.Array | 1<<jsonscan.Object)

// only reports whether k has no kind that is not among those.
func (k kinds) only(those kinds) bool { return k&^those == 0 }

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
	by      string
	memory  memory
	read    Table // the last one
}

// NewReader returns a Reader of a finished scan over b. Containers of up to
// maxLines children get the columns that name rows, larger ones all that are
// common, and the field that Group will be asked for.
func NewReader(s *jsonscan.Scanner, b []byte, maxLines int, by string) *Reader {
	r := &Reader{b: b, scan: s, maxRows: maxLines, by: by}
	r.memory.members = make([]jsonscan.Member, 0, 64)
	return r
}

// Children reads the container at node "at", whose children must have been
// noted. With schema, the table has one even if it is not large. It is good until
// the next one is read.
func (r *Reader) Children(at int32, schema bool) *Table {
	n := r.scan.Node(at)
	t := r.table()
	t.keyed = n.Kind == jsonscan.Object
	t.told = schema && !t.keyed
	t.fill(at+1, r.scan.Next(at), int(n.Kids))
	return t
}

// Records is Children for the top values, which stand one after another.
func (r *Reader) Records() *Table {
	t := r.table()
	t.noun, t.told = "record", true
	end, count := int32(r.scan.Len()), 0
	for i := int32(0); i < end; i = r.scan.Next(i) {
		count++
	}
	t.fill(0, end, count)
	return t
}

func (r *Reader) table() *Table {
	r.memory.reclaim()
	r.read = Table{b: r.b, scan: r.scan, maxRows: r.maxRows, by: r.by, memory: &r.memory, columns: r.memory.places[:0], lists: r.memory.lists[:0], members: r.memory.members}
	return &r.read
}

// fill reads the rows, count of them from a node up to the node "end", and the
// columns: those that are common, if they are told or the table is large, and those
// that name rows. The few members of an object are called by their keys.
func (t *Table) fill(node, end int32, count int) {
	t.rows = t.memory.ints.take(count)[:0]
	for ; node < end; node = t.scan.Next(node) {
		t.rows = append(t.rows, node)
		if t.scan.Node(node).Kind == jsonscan.Object {
			t.objects++
		}
	}
	if t.keyed {
		t.noteKeys()
	}
	t.large = len(t.rows) > t.maxRows
	if t.keyed && !t.large {
		return
	}
	t.leadOpen = t.large && t.keyed
	t.told = t.large || t.told && len(t.rows) >= minTold
	if t.objects == 0 {
		return
	}
	t.sparse = t.leadOpen && t.objects*10 <= t.maxRows*9
	if t.told && !t.sparse {
		t.chooseCommon()
	}
	for r := range t.rows {
		if t.kind(r) == jsonscan.Object {
			t.readRow(r)
		}
	}
	if t.sparse && !isNaming(t.by) {
		t.columns = slices.DeleteFunc(t.columns, func(c *column) bool { return c.name == t.by && c.filled*5 < t.objects*2 })
	}
	if len(t.columns) == 0 {
		return
	}
	t.ids, t.titles, t.spares = t.named(idFields), t.dropDumb(t.named(titleFields)), t.dropDumb(t.named(spareFields))
	saysWhich := func(c *column) bool { return !c.saysKind() }
	t.kindsOnly = !slices.ContainsFunc(t.titles, saysWhich) && !slices.ContainsFunc(t.spares, saysWhich)
	if t.large {
		t.callers, t.usual, t.mixes = t.named(calledFields), t.named(preferred), t.named(mixFields)
		t.mixes = slices.DeleteFunc(t.mixes, func(c *column) bool { return 2*c.filled < t.objects })
	}
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Node is the node of a row.
func (t *Table) Node(row int) int32 { return t.rows[row] }

// maxKeys is how many keys are noted: of more a list would count against the guest.
const maxKeys = 1 << 10

// noteKeys notes the keys of rows, which are asked for by one rule after another.
func (t *Table) noteKeys() {
	if len(t.rows) > maxKeys {
		return
	}
	t.keys = t.memory.cells.take(len(t.rows))
	for r, node := range t.rows {
		t.keys[r].start, t.keys[r].end = t.scan.Key(t.scan.Node(node))
	}
}

// chooseCommon looks at rows from all over the table: what only the first of
// them have may be rare.
func (t *Table) chooseCommon() {
	known := &t.memory.fields
	text, last := textOf(t.b)
	objects := int32(0)
	step := max(1, len(t.rows)/sampleRows)
	for r := 0; r < len(t.rows); r += step {
		if t.kind(r) != jsonscan.Object {
			continue
		}
		objects++
		known.next = 0
		t.members = t.scan.Members(t.members[:0], t.rows[r])
		for i := range t.members {
			m := &t.members[i]
			if start := m.KeyStart + 1; known.next < len(known.list) && start <= last { // as in readRow
				f := &known.list[known.next]
				if f.short == m.KeyEnd-1-start && ((text.word(start)^f.head)|(text.word(start+f.rest)^f.tail))&f.front == 0 {
					known.next++
					f.count++
					continue
				}
			}
			if f := known.find(t.b, name(m)); f != nil {
				f.count++
			}
		}
	}
	for i := range known.list {
		if f := &known.list[i]; f.count*5 >= objects*2 { // two fifths: a sample may be off
			f.column = t.addColumn(f.at)
		}
	}
}

// name is the cell of a member's key, without its quotes.
func name(m *jsonscan.Member) cell { return cell{m.KeyStart + 1, m.KeyEnd - 1} }

// addColumn makes a column and returns its place.
func (t *Table) addColumn(at cell) int32 {
	place := len(t.columns)
	if place == maxColumns {
		return ignored
	}
	c := &t.memory.columns[place]
	name := string(t.text(at))
	*c = column{name: name, at: at, id: name == "id", cells: t.memory.cells.take(len(t.rows))}
	t.columns = append(t.columns, c)
	t.have |= nameBit(name)
	return int32(place)
}

// nameBit is one of 64 bits for a name: most names that are asked for no table has.
func nameBit(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((uint(len(name))*5 + uint(name[0])) % 64)
}

// readRow fills the cells of one row. Rows tend to have their fields in one
// order: what follows the last one found is asked without a call.
func (t *Table) readRow(row int) {
	text, last := textOf(t.b)
	known := &t.memory.fields
	known.next = 0
	members := t.scan.Members(t.members[:0], t.rows[row])
	if cap(members) != cap(t.members) { // else to store it costs more than it saves: a pointer that is stored is shown to the collector
		t.members = members
	}
	for i := range members {
		m, place := &members[i], int32(unplaced)
		if start, end := m.KeyStart+1, m.KeyEnd-1; known.next < len(known.list) && start <= last {
			f := &known.list[known.next]
			if f.short == end-start && ((text.word(start)^f.head)|(text.word(start+f.rest)^f.tail))&f.front == 0 {
				known.next++
				place = f.column
			}
		}
		if place == unplaced {
			place = t.place(known.find(t.b, name(m)), name(m))
		}
		if place < 0 {
			continue
		}
		c := t.columns[place]
		if c.cells[row].missing() { // of duplicate keys the first counts
			c.cells[row] = cell{m.Start, m.End}
			c.filled++
			c.kinds |= 1 << m.Kind
		}
	}
}

// isWanted reports whether a field becomes a column even if it is rare.
func (t *Table) isWanted(name string) bool {
	return isNaming(name) || t.sparse && (name == t.by || mixBits&nameBit(name) != 0 && slices.Contains(mixFields, name))
}

// place is the place of the column of a field, negative if it has none; a column
// that is wanted is made. The field is nil if there are too many to remember.
func (t *Table) place(f *field, at cell) int32 {
	switch {
	case f != nil && f.column != unplaced:
		return f.column
	case !t.isWanted(string(t.text(at))):
		if f != nil {
			f.column = ignored
		}
		return ignored
	}
	place := int32(slices.IndexFunc(t.columns, func(c *column) bool { return c.name == string(t.text(at)) }))
	if place < 0 {
		place = t.addColumn(at)
	}
	if f != nil {
		f.column = place
	}
	return place
}

func (t *Table) kind(row int) jsonscan.Kind { return t.scan.Node(t.rows[row]).Kind }

func (t *Table) column(name string) *column {
	if t.have&nameBit(name) == 0 {
		return nil
	}
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// named are the columns of some names that there are.
func (t *Table) named(names []string) []*column {
	from := len(t.lists)
	for _, name := range names {
		if c := t.column(name); c != nil {
			t.lists = append(t.lists, c)
		}
	}
	return t.lists[from:len(t.lists):len(t.lists)]
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
