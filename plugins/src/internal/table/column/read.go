package column

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// Read reads the rows, which are count nodes from one node up to the node "end", and
// their columns: those that name rows, and the common ones if the table is large or
// described. A small object has no columns, because its members are named by their keys.
func (s *Set) Read(node, end int32, count int) {
	s.Nodes = s.Memory.Ints.Get(count)[:0]
	for ; node < end; node = s.Scan.Next(node) {
		s.Nodes = append(s.Nodes, node)
		if s.Scan.Node(node).Kind == jsonscan.Object {
			s.Objects++
		}
	}
	if s.Keyed {
		s.storeKeys()
	}
	if s.Keyed && !s.IsLarge() {
		return
	}
	s.Described = s.IsLarge() || s.Described && len(s.Nodes) >= minDescribed
	if s.Objects == 0 {
		return
	}
	sparse := s.isSparse()
	if s.Described && !sparse {
		s.chooseCommon()
	}
	for r := range s.Nodes {
		if s.Kind(r) == jsonscan.Object {
			s.readRow(r)
		}
	}
	if sparse && !IsNaming(s.By) {
		s.Columns = slices.DeleteFunc(s.Columns, func(c *Column) bool { return c.Name == s.By && c.Filled*5 < s.Objects*2 })
	}
}

// isSparse reports whether so few members of a large object are objects that no rule
// groups the rows by their common fields.
func (s *Set) isSparse() bool { return s.Keyed && s.IsLarge() && s.Objects*10 <= s.MaxRows*9 }

// storeKeys stores the keys of the rows, because several rules need them.
func (s *Set) storeKeys() {
	if len(s.Nodes) > maxKeys {
		return
	}
	s.keys = s.Memory.Cells.Get(len(s.Nodes))
	for r, node := range s.Nodes {
		s.keys[r].Start, s.keys[r].End = s.Scan.Key(s.Scan.Node(node))
	}
}

// chooseCommon makes columns of the fields that many rows have. It samples the whole
// table: fields of the first rows alone may be rare.
func (s *Set) chooseCommon() {
	known := &s.Memory.names
	words, last := cell.WordsOf(s.B)
	objects := int32(0)
	step := max(1, len(s.Nodes)/sampleRows)
	for r := 0; r < len(s.Nodes); r += step {
		if s.Kind(r) != jsonscan.Object {
			continue
		}
		objects++
		known.next = 0
		s.Members = s.Scan.Members(s.Members[:0], s.Nodes[r])
		for i := range s.Members {
			m := &s.Members[i]
			if start := m.KeyStart + 1; known.next < len(known.list) && start <= last { // as in readRow
				f := &known.list[known.next]
				if f.short == m.KeyEnd-1-start && ((words.At(start)^f.head)|(words.At(start+f.rest)^f.tail))&f.mask == 0 {
					known.next++
					f.count++
					continue
				}
			}
			if f := known.find(s.B, NameOf(m)); f != nil {
				f.count++
			}
		}
	}
	for i := range known.list {
		if f := &known.list[i]; f.count*5 >= objects*2 { // two fifths, because a sample is not exact
			f.column = s.addColumn(f.at)
		}
	}
}

// NameOf returns the cell of the key of a member, without its quotes.
func NameOf(m *jsonscan.Member) cell.Cell { return cell.Cell{Start: m.KeyStart + 1, End: m.KeyEnd - 1} }

// addColumn adds a column and returns its position, ignored if there are too many.
func (s *Set) addColumn(at cell.Cell) int32 {
	position := len(s.Columns)
	if position == maxColumns {
		return ignored
	}
	c := &s.Memory.columns[position]
	name := string(s.Bytes(at))
	*c = Column{Name: name, At: at, IsID: name == "id", Cells: s.Memory.Cells.Get(len(s.Nodes))}
	s.Columns = append(s.Columns, c)
	s.bits |= nameBit(name)
	return int32(position)
}

// readRow fills the cells of one row. Most rows have their fields in the same order: the
// name after the last one found is compared without a call.
func (s *Set) readRow(row int) {
	words, last := cell.WordsOf(s.B)
	known := &s.Memory.names
	known.next = 0
	members := s.Scan.Members(s.Members[:0], s.Nodes[row])
	if cap(members) != cap(s.Members) { // otherwise the write barrier costs more than the assignment saves
		s.Members = members
	}
	for i := range members {
		m, position := &members[i], int32(undecided)
		if start, end := m.KeyStart+1, m.KeyEnd-1; known.next < len(known.list) && start <= last {
			f := &known.list[known.next]
			if f.short == end-start && ((words.At(start)^f.head)|(words.At(start+f.rest)^f.tail))&f.mask == 0 {
				known.next++
				position = f.column
			}
		}
		if position == undecided {
			position = s.columnOf(known.find(s.B, NameOf(m)), NameOf(m))
		}
		if position < 0 {
			continue
		}
		c := s.Columns[position]
		if c.Cells[row].IsMissing() { // of duplicate keys the first counts
			c.Cells[row] = cell.Cell{Start: m.Start, End: m.End}
			c.Filled++
			c.Kinds |= 1 << m.Kind
		}
	}
}

// columnOf returns the position of the column of a field, negative if it has none. It adds
// the column of a field that is wanted. The field is nil if its name is not stored.
func (s *Set) columnOf(f *field, at cell.Cell) int32 {
	switch {
	case f != nil && f.column != undecided:
		return f.column
	case !s.isWanted(string(s.Bytes(at))):
		if f != nil {
			f.column = ignored
		}
		return ignored
	}
	position := int32(slices.IndexFunc(s.Columns, func(c *Column) bool { return c.Name == string(s.Bytes(at)) }))
	if position < 0 {
		position = s.addColumn(at)
	}
	if f != nil {
		f.column = position
	}
	return position
}

// isWanted reports whether a field becomes a column even if few rows have it.
func (s *Set) isWanted(name string) bool {
	return IsNaming(name) || (name == s.By || mixBits&nameBit(name) != 0 && slices.Contains(rows.MixFields, name)) && s.isSparse()
}

// mixBits is the union of nameBit of rows.MixFields.
var mixBits = func() (bits uint64) {
	for _, name := range rows.MixFields {
		bits |= nameBit(name)
	}
	return bits
}()
