package label

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// finder finds the features of a table by comparing some rows.
type finder struct {
	*Labels
	rows int // that are compared
	list []feature
	next int // position of the expected field
}

// chooseFeatures finds the fields that differ between rows: short texts first, then long
// texts, then numbers; as many as distinguish the rows.
func (l *Labels) chooseFeatures() {
	if l.Objects < 2 {
		return
	}
	f := finder{Labels: l, rows: l.Len()}
	if l.IsLarge() {
		f.rows = min(l.Len(), compared)
		for n := range f.rows {
			row := n * l.Len() / f.rows
			f.next = 0
			for _, c := range l.Columns {
				f.addField(n, c, c.At, c.Cells[row])
			}
		}
	} else {
		for row, node := range l.Nodes {
			if l.Kind(row) != jsonscan.Object {
				continue
			}
			f.next = 0
			l.Members = l.Scan.Members(l.Members[:0], node)
			for i := range l.Members {
				m := &l.Members[i]
				f.addField(row, nil, column.NameOf(m), cell.Cell{Start: m.Start, End: m.End})
			}
		}
	}
	for i := range f.list {
		f.classify(&f.list[i])
	}
	f.list = slices.DeleteFunc(f.list, func(k feature) bool { return k.class == useless })
	slices.SortStableFunc(f.list, func(a, b feature) int {
		if a.class != b.class {
			return int(a.class - b.class)
		}
		return b.distinct - a.distinct
	})
	f.choose()
}

// addField adds the cell of a field in the n-th compared row and, if it is a small object,
// its members.
func (f *finder) addField(n int, c *column.Column, at, x cell.Cell) {
	if column.IsNaming(string(f.Bytes(at))) {
		return // it is part of the name
	}
	f.add(n, c, at, cell.Cell{}, x)
	for _, m := range f.innerMembers(x) {
		f.add(n, c, at, column.NameOf(&m), cell.Cell{Start: m.Start, End: m.End})
	}
}

// add adds a cell in the n-th compared row.
func (f *finder) add(n int, c *column.Column, name, inner, x cell.Cell) {
	if x = f.firstScalar(x); x.IsMissing() {
		return
	}
	i := f.next
	if i >= len(f.list) || !f.isField(i, name, inner) {
		for i = 0; i < len(f.list) && !f.isField(i, name, inner); i++ {
		}
	}
	if f.next = i + 1; i == maxFound {
		return
	}
	if i == len(f.list) {
		f.list = append(f.list, feature{column: c, name: name, inner: inner, cells: f.Memory.Cells.Get(f.rows)})
	}
	if k := &f.list[i]; k.cells[n].IsMissing() {
		k.cells[n] = x
		k.filled++
	}
}

// isField reports whether feature i has these names.
func (f *finder) isField(i int, name, inner cell.Cell) bool {
	k := &f.list[i]
	return cell.Same(f.B, k.name, name) && cell.Same(f.B, k.inner, inner)
}

// classify sets the class of a feature, the bytes to skip, its size and its number of
// distinct values.
func (f *finder) classify(k *feature) {
	if k.class = useless; 2*k.filled < f.rows {
		return
	}
	var first cell.Cell
	total, equal, differs := 0, 0, false
	for _, x := range k.cells {
		switch {
		case x.IsMissing():
			continue
		case first.IsMissing():
			first, equal = x, x.Size()
		default:
			equal = f.commonSize(first, x, equal)
			differs = differs || !cell.Same(f.B, first, x)
		}
		total += x.Size()
	}
	if !differs || isOpaque(f.Bytes(first)) {
		return
	}
	if k.class = numeric; f.IsString(first) {
		k.class = shortText
		if end := 1 + bytes.LastIndexAny(f.B[first.Start:first.Start+int32(equal)], "./"); end > minTrimPrefix {
			k.skip = end // only of a path, not of prose or a date
		}
		if k.size = total/k.filled - k.skip; k.size > maxShort {
			k.class, k.size, k.skip = longText, maxLong, 0
		}
	}
	var p partition
	k.distinct = f.refine(&p, k)
}

// commonSize returns how many of the first bytes two cells have in common, at most limit.
func (l *Labels) commonSize(x, y cell.Cell, limit int) int {
	n := 0
	for limit = min(limit, y.Size()); n < limit && l.B[int(x.Start)+n] == l.B[int(y.Start)+n]; n++ {
	}
	return n
}

// partition holds for each compared row the first row that it is not distinguished from.
type partition [compared]int8

// refine distinguishes rows by one more feature, and returns the number of classes.
func (f *finder) refine(p *partition, k *feature) (count int) {
	n := min(compared, f.rows)
	at := func(i int) cell.Cell { return k.cells[i*f.rows/n] }
	before := *p
	for i := range n {
		x, first := at(i), 0
		for first < i && (before[first] != before[i] || !cell.Same(f.B, at(first), x)) {
			first++
		}
		if p[i] = int8(first); first == i {
			count++
		}
	}
	return count
}

// choose takes the best features that distinguish further rows, and texts as long as there
// are few words.
func (f *finder) choose() {
	var known partition
	size, count := 0, 1
	for i := range f.list {
		k := &f.list[i]
		next := known
		n := f.refine(&next, k)
		if n == count && (k.class == numeric || size >= enoughText || len(f.features) == 0) || size+k.size > rows.MaxTitle {
			continue
		}
		known, count = next, n
		size += k.size
		if k.class == numeric {
			k.label = f.labelOf(k)
		}
		if f.features = append(f.features, *k); len(f.features) == maxFeatures {
			return
		}
	}
}

// labelOf returns the name of a field and a blank.
func (f *finder) labelOf(k *feature) []byte {
	name := k.name
	if !k.inner.IsMissing() {
		name = k.inner
	}
	return append(caption.Append(nil, f.Bytes(name), maxShort/2), ' ')
}
