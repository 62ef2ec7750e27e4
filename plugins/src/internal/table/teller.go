package table

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// finder notes the fields of some rows.
type finder struct {
	t    *Table
	rows int // that are looked at
	list []teller
	next int // the field that is expected
}

// note adds the cell of a field in the row that is looked at as the n-th.
func (f *finder) note(n int, c *column, name, inner, x cell) {
	if x = f.t.firstText(x); x.missing() {
		return
	}
	i := f.next
	if i >= len(f.list) || !f.is(i, name, inner) {
		for i = 0; i < len(f.list) && !f.is(i, name, inner); i++ {
		}
	}
	if f.next = i + 1; i == maxFound {
		return
	}
	if i == len(f.list) {
		f.list = append(f.list, teller{column: c, name: name, inner: inner, cells: f.t.memory.cells.take(f.rows)})
	}
	if k := &f.list[i]; k.cells[n].missing() {
		k.cells[n] = x
		k.filled++
	}
}

func (f *finder) is(i int, name, inner cell) bool {
	k := &f.list[i]
	return same(f.t.b, k.name, name) && same(f.t.b, k.inner, inner)
}

// field notes a field and, if it holds a small object, the members of that.
func (f *finder) field(n int, c *column, at, x cell) {
	if isNaming(string(f.t.text(at))) {
		return // asked already
	}
	f.note(n, c, at, cell{}, x)
	for _, m := range f.t.inside(x) {
		f.note(n, c, at, name(&m), cell{m.Start, m.End})
	}
}

// chooseTellers finds the fields that differ over the rows: short texts first,
// then how a long one begins, then numbers; as many as tell the rows apart.
func (t *Table) chooseTellers() {
	if t.objects < 2 {
		return
	}
	f := finder{t: t, rows: len(t.rows)}
	if len(t.rows) > t.maxRows {
		f.rows = min(len(t.rows), compared)
		for n := range f.rows {
			row := n * len(t.rows) / f.rows
			f.next = 0
			for _, c := range t.columns {
				f.field(n, c, c.at, c.cells[row])
			}
		}
	} else {
		for row := range t.rows {
			if t.kind(row) != jsonscan.Object {
				continue
			}
			f.next = 0
			t.members = t.scan.Members(t.members[:0], t.rows[row])
			for i := range t.members {
				m := &t.members[i]
				f.field(row, nil, name(m), cell{m.Start, m.End})
			}
		}
	}
	for i := range f.list {
		f.weigh(&f.list[i])
	}
	f.list = slices.DeleteFunc(f.list, func(k teller) bool { return k.class == useless })
	slices.SortStableFunc(f.list, func(a, b teller) int {
		if a.class != b.class {
			return int(a.class - b.class)
		}
		return b.distinct - a.distinct
	})
	f.choose()
}

// weigh says what a field is worth.
func (f *finder) weigh(k *teller) {
	t := f.t
	if k.class = useless; 2*k.filled < f.rows {
		return
	}
	var first cell
	total, equal, differs := 0, 0, false
	for _, x := range k.cells {
		switch {
		case x.missing():
			continue
		case first.missing():
			first, equal = x, x.size()
		default:
			equal = t.equalStart(first, x, equal)
			differs = differs || !same(t.b, first, x)
		}
		total += x.size()
	}
	if !differs || isOpaque(t.text(first)) {
		return
	}
	if k.class = number; t.isText(first) {
		k.class = shortText
		if end := 1 + bytes.LastIndexAny(t.b[first.start:first.start+int32(equal)], "./"); end > leastSkip {
			k.skip = end // of a path, not of prose or a date
		}
		if k.size = total/k.filled - k.skip; k.size > maxShort {
			k.class, k.size, k.skip = longText, maxLong, 0
		}
	}
	k.distinct = f.parts(new(apart), k)
}

// equalStart is how many bytes up to most two cells have in common.
func (t *Table) equalStart(x, y cell, most int) int {
	n := 0
	for most = min(most, y.size()); n < most && t.b[int(x.start)+n] == t.b[int(y.start)+n]; n++ {
	}
	return n
}

// apart is by row of those compared the first one that is told the same.
type apart [compared]int8

// parts tells the rows apart by one more field, and counts what they are told to be.
func (f *finder) parts(a *apart, k *teller) (count int) {
	rows := min(compared, f.rows)
	at := func(n int) cell { return k.cells[n*f.rows/rows] }
	was := *a
	for n := range rows {
		x, first := at(n), 0
		for first < n && (was[first] != was[n] || !same(f.t.b, at(first), x)) {
			first++
		}
		if a[n] = int8(first); first == n {
			count++
		}
	}
	return count
}

// choose takes the tellers, the best first, that tell more rows apart, and texts
// as long as there are few words.
func (f *finder) choose() {
	var known apart
	size, count := 0, 1
	for i := range f.list {
		k := &f.list[i]
		next := known
		n := f.parts(&next, k)
		if n == count && (k.class == number || size >= enoughTold || len(f.t.tellers) == 0) || size+k.size > maxTitle {
			continue
		}
		known, count = next, n
		size += k.size
		if k.class == number {
			k.label = f.label(k)
		}
		if f.t.tellers = append(f.t.tellers, *k); len(f.t.tellers) == maxTellers {
			return
		}
	}
}

// label is the name of a field with a blank behind it.
func (f *finder) label(k *teller) []byte {
	name := k.name
	if !k.inner.missing() {
		name = k.inner
	}
	return append(caption.Append(nil, f.t.text(name), maxShort/2), ' ')
}
