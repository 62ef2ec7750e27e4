package table

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

var (
	// ownIDs are fields by which a row may be referred to.
	ownIDs = []string{"id", "_id", "ts", "uid", "key", "name", "number"}
	// referring are fields that usually refer; they may be numbers too, which
	// in other fields are equal by chance.
	referring = []string{"z", "parent_id", "parentId", "thread_ts", "owner_id"}
)

func isOwnID(name string) bool { return slices.Contains(ownIDs, name) }

func isRefer(name string) bool { return slices.Contains(referring, name) }

// maxChain bounds groups in groups where references form chains.
const maxChain = 16

// byReference groups rows by a field whose values are other rows' ids: each
// row that is referred to leads the group of those that refer to it.
func (t *Table) byReference(only string) *Grouping {
	if t.objects*10 < len(t.rows)*9 {
		return nil
	}
	ids := t.indexIDs()
	for _, c := range t.referenceColumns(only) {
		target := t.refer(c, ids)
		if target == nil {
			continue
		}
		ids.settle() // for the groups to be made in its memory
		if g := t.forest(c, target); only != "" || t.fits(g.Parts, g.Rest, len(t.rows)) {
			return g
		}
		ids = t.indexIDs()
	}
	ids.settle()
	return nil
}

// referenceColumns are the candidates, the usual ones first.
func (t *Table) referenceColumns(only string) (out []*column) {
	if only != "" {
		if c := t.column(only); c != nil {
			out = append(out, c)
		}
		return out
	}
	for _, name := range referring {
		if c := t.column(name); c != nil {
			out = append(out, c)
		}
	}
	for _, c := range t.columns {
		if !isOwnID(c.name) && !isRefer(c.name) {
			out = append(out, c)
		}
	}
	return out
}

// index finds rows by their ids.
type index []*values

// indexIDs indexes all fields by which rows may be referred to, and keys.
func (t *Table) indexIDs() (x index) {
	if t.keyed {
		v := sized(t, len(t.rows))
		for r := range t.rows {
			v.add(t.key(r), int32(r))
		}
		x = append(x, v)
	}
	for _, name := range ownIDs {
		if c := t.column(name); c != nil {
			if c.vals != nil && c.vals.slots == nil {
				c.vals = nil // to be found again
			}
			x = append(x, t.valuesOf(c, true))
		}
	}
	return x
}

// settle ends the index.
func (x index) settle() {
	for _, v := range x {
		v.t.memory.ints.give(v.row)
		v.t.memory.ints.give(v.sums)
		v.settle()
	}
}

// row is the first row that has this id, or -1.
func (x index) row(id []byte) int32 {
	for _, v := range x {
		if n := v.get(id); n >= 0 {
			return v.row[n]
		}
	}
	return -1
}

// none and dangling stand for the target of a row that refers to no row.
const (
	none     = -1
	dangling = -2
)

// refer is the row that each row refers to by c if that refers: at least half of the
// rows have it, nine in ten of its distinct values are ids, and not all of them the
// row's own.
func (t *Table) refer(c *column, ids index) []int32 {
	if !t.looksReferring(c, ids) {
		return nil
	}
	target := t.memory.ints.take(len(t.rows))
	named, lost := t.memory.ints.take(len(t.rows)), newValues(t) // rows that are referred to have a 1; what is no id
	filled, found, others := 0, 0, 0
	for r, x := range c.cells {
		target[r] = none
		if !t.mayRefer(c, x) {
			continue
		}
		filled++
		to := ids.row(t.text(x))
		switch {
		case to < 0:
			lost.add(x, int32(r))
			target[r] = dangling
			continue
		case to == int32(r): // a head
		default:
			target[r] = to
			others++
		}
		if named[to] == 0 {
			named[to] = 1
			found++
		}
	}
	t.memory.ints.give(named)
	lost.settle()
	if filled*2 < len(t.rows) || found < len(lost.first)*9 || others == 0 {
		t.memory.ints.give(target)
		return nil
	}
	return target
}

// looksReferring asks a sample, which saves looking up every text of a column.
func (t *Table) looksReferring(c *column, ids index) bool {
	filled, found := 0, 0
	step := max(1, len(t.rows)/sampleRows)
	for r := 0; r < len(t.rows); r += step {
		if x := c.cells[r]; t.mayRefer(c, x) {
			filled++
			if ids.row(t.text(x)) >= 0 {
				found++
			}
		}
	}
	return filled > 0 && 2*found >= filled
}

func (t *Table) mayRefer(c *column, x cell) bool {
	return t.isText(x) || isRefer(c.name) && t.isNumber(x)
}

// forest builds the groups from the row each row refers to.
func (t *Table) forest(c *column, target []int32) *Grouping {
	marks := t.memory.ints.take(len(target))
	cutCycles(target, marks)
	f := &forest{t: t, c: c, target: target, kids: newLists(t, len(target))}
	clear(marks)
	f.shorten(marks)
	t.memory.ints.give(marks)
	for r := len(target) - 1; r >= 0; r-- {
		if to := target[r]; to >= 0 {
			f.kids.prepend(to, int32(r))
		}
	}
	f.noun = f.headNoun()
	heads, inner := 2, 0 // with room for rows that refer to none
	for r, to := range target {
		switch {
		case f.kids.first[r] == none:
		case to < 0:
			heads++
		default:
			inner++
		}
	}
	f.parts, f.rows = make([]Part, inner), t.memory.ints.take(len(target))
	g := &Grouping{By: c.name, Parts: make([]Part, 0, heads), refers: true, noun: f.noun, forest: f}
	var without, strays []int32
	for r, to := range target {
		switch {
		case to >= 0:
		case f.kids.first[r] != none:
			g.Parts = append(g.Parts, f.part(int32(r)))
		case to == dangling:
			strays = append(strays, int32(r))
		default:
			without = append(without, int32(r))
		}
	}
	t.dissolve(g)
	g.Parts = append(g.Parts, f.lost(strays)...)
	if len(without) > 0 {
		g.Parts = append(g.Parts, Part{ID: c.name + "=", Title: f.title("no "+f.noun, without), Rows: without})
	}
	f.settle()
	return g
}

// settle gives back what is needed to make parts.
func (f *forest) settle() {
	for _, list := range [][]int32{f.target, f.kids.first, f.kids.next} {
		f.t.memory.ints.give(list)
	}
	f.target, f.kids, f.parts, f.rows = nil, lists{}, nil, nil
}

// lost groups rows that refer to the same row which is not there.
func (f *forest) lost(strays []int32) (parts []Part) {
	v := newValues(f.t)
	for _, r := range strays {
		x := f.c.cells[r]
		n := int(v.add(x, r))
		if n == len(parts) {
			parts = append(parts, Part{ID: f.c.name + "=" + f.t.exact(x)})
		}
		parts[n].Rows = append(parts[n].Rows, r)
	}
	for i := range parts {
		parts[i].Title = f.title(f.t.say(v.first[i], maxID), parts[i].Rows)
	}
	return parts
}

// dissolve opens a group that holds nearly everything, such as that of the one
// root of a tree.
func (t *Table) dissolve(g *Grouping) {
	for range maxLevels {
		big := -1
		for i := range g.Parts {
			if g.Parts[i].Size()*5 > len(t.rows)*4 {
				big = i
			}
		}
		if big < 0 {
			return
		}
		p := g.Parts[big]
		g.Rest = append(g.Rest, p.Rows...)
		g.Parts = append(append(g.Parts[:big:big], p.Parts...), g.Parts[big+1:]...)
	}
}

// forest makes the parts of rows that refer to others, and names them: as many as there
// may be, the names of all would take more than the text.
type forest struct {
	t      *Table
	c      *column
	target []int32 // by row: the row it refers to, none or dangling
	kids   lists   // by row: those that refer to it
	parts  []Part  // room for those in others that are still to be made
	rows   []int32 // room for rows of parts that are still to be made
	all    []int32 // memory for the rows of one part
	noun   string
}

// lists are lists of rows, each in one of them at most, by number.
type lists struct {
	first []int32 // by list: its first row, none if it is empty
	next  []int32 // by row: the one behind it
}

func newLists(t *Table, n int) lists {
	l := lists{t.memory.ints.take(n), t.memory.ints.take(n)}
	for i := range l.first {
		l.first[i] = none
	}
	return l
}

// prepend puts a row in front of a list.
func (l *lists) prepend(list, row int32) { l.first[list], l.next[row] = row, l.first[list] }

// part is the group that row leads.
func (f *forest) part(row int32) Part {
	heads, rows := 0, 1
	for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
		if f.kids.first[kid] != none {
			heads++
		} else {
			rows++
		}
	}
	p := Part{Rows: append(f.rows[:0:rows], row), lead: f.c.cells[f.kids.first[row]]}
	f.rows = f.rows[rows:]
	if heads > 0 {
		p.Parts, f.parts = f.parts[:0:heads], f.parts[heads:]
	}
	for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
		if f.kids.first[kid] != none {
			p.Parts = append(p.Parts, f.part(kid))
		} else {
			p.Rows = append(p.Rows, kid)
		}
	}
	return p
}

// appendID appends the id of a part that a row leads.
func (f *forest) appendID(dst []byte, p *Part) []byte {
	return append(append(append(dst, f.c.name...), '='), f.t.plain(p.lead, p.lead.size())...)
}

// appendTitle appends the title of a part that a row leads.
func (f *forest) appendTitle(dst []byte, p *Part) []byte {
	if f.all == nil {
		f.all = f.t.memory.ints.take(f.t.Len())
	}
	rows := p.all(f.all[:0])[1:]
	if called := f.t.calling(int(p.Rows[0])); called != "" && called != string(f.t.plain(p.lead, p.lead.size())) {
		return f.finish(append(dst, called...), len(dst), rows)
	}
	return f.finish(caption.Append(dst, f.t.plain(p.lead, p.lead.size()), maxID), len(dst), rows)
}

// title is that of a part that no row leads.
func (f *forest) title(head string, rows []int32) string {
	return string(f.finish([]byte(head), 0, rows))
}

// finish makes what a part is called, which stands in dst from start on, its title:
// with how many rows follow the head, and of what types.
func (f *forest) finish(dst []byte, start int, rows []int32) []byte {
	dst = append(caption.Cut(dst, start, maxTitle/2), ": "...)
	dst = append(caption.AppendNumber(dst, int32(len(rows))), " node"...)
	if len(rows) != 1 {
		dst = append(dst, 's')
	}
	counted := len(dst)
	dst = append(dst, ": "...)
	if said, _ := f.t.appendMix(dst, rows, f.c.name); len(said) > len(dst) {
		return caption.Cut(said, start, maxTitle)
	}
	return caption.Cut(dst[:counted], start, maxTitle)
}

// headNoun is the type that nine in ten heads have.
func (f *forest) headNoun() string {
	for _, name := range []string{"type", "kind"} {
		c := f.t.column(name)
		if c == nil {
			continue
		}
		v := f.t.valuesOf(c, false)
		if v.many { // to make room for all is only worth it then
			v = f.t.valuesOf(c, true)
		}
		counts, heads := make([]int, len(v.first)), 0
		for r, first := range f.kids.first {
			if first == none {
				continue
			}
			heads++
			if n := v.of[r]; n >= 0 {
				counts[n]++
			}
		}
		for i, n := range counts {
			if n*10 >= heads*9 && n > 0 {
				return f.t.say(v.first[i], maxID/2)
			}
		}
	}
	if f.t.keyed {
		return "key"
	}
	return "row"
}

// cutCycles makes the first row of every cycle a head: each row must lead to one.
// done has a zero for each row.
func cutCycles(target, done []int32) {
	for r := range target {
		at := int32(r)
		for at >= 0 && done[at] == 0 {
			done[at] = int32(r) + 1
			at = target[at]
		}
		if at >= 0 && done[at] == int32(r)+1 {
			target[at] = none
		}
	}
}

// shorten hangs rows at the end of long chains on an earlier link. depth has a zero
// for each row.
func (f *forest) shorten(depth []int32) {
	var path []int32
	for r := range f.target {
		at := int32(r)
		path = path[:0]
		for at >= 0 && depth[at] == 0 {
			path = append(path, at)
			at = f.target[at]
		}
		for i := len(path) - 1; i >= 0; i-- {
			row := path[i]
			depth[row] = 1
			if to := f.target[row]; to >= 0 {
				if depth[to] >= maxChain {
					to = f.target[to]
					f.target[row] = to
				}
				depth[row] = depth[to] + 1
			}
		}
	}
}
