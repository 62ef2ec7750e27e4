package table

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
)

// teller is a field by which rows without a name are told apart: one of theirs, or
// a member of an object that they hold.
type teller struct {
	column      *column // of a large table; in a small one the cells are known
	name, inner cell    // inner: of the member; missing: the field itself
	label       []byte  // what stands before the value: a number does not speak for itself
	cells       []cell  // by row that was looked at
	filled      int     // of them
	skip        int     // bytes, the quote included, that begin all of them and tell nothing
	size        int     // bytes that it takes in a title, on average
	class       class
	distinct    int // values among those compared
}

// class is what a teller is worth: the lower the more.
type class int8

const (
	shortText class = iota
	longText
	number
	useless
)

const (
	maxTellers = 3
	maxFound   = 32      // fields that are looked at
	maxRead    = 1 << 10 // bytes of an object that is looked into: what is told of a row stands in small ones
	compared   = 16      // rows that show by what they differ
	maxShort   = 40      // bytes of a short text, on average; about eight words of a long one tell enough
	maxLong    = 48
	enoughTold = 24 // bytes that need no further text
	leastSkip  = 8  // bytes that are worth leaving out
)

// tell appends what tells a row apart, behind what is said of it since from.
func (t *Table) tell(dst []byte, from, row int) []byte {
	if t.kind(row) != jsonscan.Object {
		return dst
	}
	if !t.toldApart {
		t.toldApart = true
		t.chooseTellers()
	}
	for i := range t.tellers {
		k := &t.tellers[i]
		var x cell
		if k.column != nil && k.inner.missing() {
			x = k.column.cells[row]
		} else {
			x = t.toldCell(k, row)
		}
		if x.missing() {
			continue
		}
		before := len(dst)
		if before > from {
			dst = append(dst, ", "...)
		}
		dst = append(dst, k.label...)
		at, plain := len(dst), false
		if start, end := int(x.start), int(x.end); k.skip == 0 && end-start <= maxLong {
			switch first := t.b[start]; {
			case first == '"':
				dst, plain = appendPlain(dst, t.b, start+1, end-1)
			case first == '-' || first-'0' <= 9:
				dst, plain = appendPlain(dst, t.b, start, end)
			}
		}
		if !plain {
			if x = t.firstText(x); !x.missing() {
				dst = t.appendCell(dst, t.behind(x, k.skip), maxLong)
			}
		}
		if len(dst) == at || before > from && len(dst)-from > maxTitle {
			dst = dst[:before]
		}
	}
	return dst
}

// behind is a text without its first bytes, the quote among them, unless that is all
// there is.
func (t *Table) behind(x cell, skip int) cell {
	if skip > 0 && x.size() > skip+1 {
		x.start, x.end = x.start+int32(skip), x.end-1
	}
	return x
}

// toldCell is the cell of a teller in a row.
func (t *Table) toldCell(k *teller, row int) cell {
	if k.column == nil {
		return k.cells[row]
	}
	x := k.column.cells[row]
	if k.inner.missing() {
		return x
	}
	for _, m := range t.inside(x) {
		if same(t.b, name(&m), k.inner) {
			return cell{m.Start, m.End}
		}
	}
	return cell{}
}

// inside are the members of an object that is small.
func (t *Table) inside(x cell) []jsonscan.Member {
	in := t.memory.inner[:0]
	if !x.missing() && t.b[x.start] == '{' && x.size() <= maxRead {
		in = jsonscan.Each(in, t.b, jsonscan.Node{Start: x.start, End: x.end, Kind: jsonscan.Object})
	}
	t.memory.inner = in
	return in
}

// firstText is a text or number as it is, of an array the text it begins with;
// missing for all else.
func (t *Table) firstText(x cell) cell {
	switch {
	case t.isText(x), t.isNumber(x):
		return x
	case x.missing() || t.b[x.start] != '[':
		return cell{}
	}
	at := int(x.start) + 1
	for t.b[at] <= ' ' {
		at++
	}
	if t.b[at] != '"' {
		return cell{}
	}
	end, _ := jsonscan.String(t.b, at)
	return cell{int32(at), int32(end)}
}

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
