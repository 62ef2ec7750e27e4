package table

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// forest is the groups of rows that refer to others: each row that is referred to leads
// one. There may be nearly as many as rows, and a Part of each would take more than the
// text: which rows refer to which says all that they are.
type forest struct {
	t     *Table
	c     *column
	kids  lists               // by row: those that refer to it
	split map[int32]*Grouping // by the row that leads a group: how it is grouped by other fields
	noun  string              // what the rows are that lead
	all   []int32             // memory for the rows of one group and those in it
	own   []int32             // memory for those of one group
	shown Part                // the one that is visited
}

// forest builds the groups from the row each row refers to. It is nil if more than
// "most" lines would be made of them.
func (t *Table) forest(c *column, target []int32, most int) *Grouping {
	marks := t.memory.ints.take(len(target))
	cutCycles(target, marks)
	clear(marks)
	shorten(target, marks)
	t.memory.ints.give(marks)
	f := &forest{t: t, c: c, kids: newLists(t, len(target))}
	for r := len(target) - 1; r >= 0; r-- {
		if to := target[r]; to >= 0 {
			f.kids.prepend(to, int32(r))
		}
	}
	f.noun = f.headNoun()
	g := &Grouping{By: c.name, refers: true, noun: f.noun, forest: f}
	if !f.plant(g, target, most) {
		f.kids.settle(t)
		g = nil
	}
	t.memory.ints.give(target)
	return g
}

// plant makes the groups at the top: those of rows that refer to none, then those of rows
// that refer to a row which is not there, then those that neither refer nor are referred
// to. Not ok: they are more than most.
func (f *forest) plant(g *Grouping, target []int32, most int) (ok bool) {
	var strays, without int
	for r, to := range target {
		switch {
		case to >= 0:
		case f.kids.first[r] != none:
			if g.Parts = append(g.Parts, Part{head: int32(r) + 1}); len(g.Parts) > most {
				return false
			}
		case to == dangling:
			strays++
		default:
			without++
		}
	}
	if !f.dissolve(g, most) {
		return false
	}
	rows := f.t.memory.ints.take(strays + without)
	lost, others := rows[:0:strays], rows[strays:strays]
	for r, to := range target {
		switch {
		case to >= 0 || f.kids.first[r] != none:
		case to == dangling:
			lost = append(lost, int32(r))
		default:
			others = append(others, int32(r))
		}
	}
	if !f.plantLost(g, lost, most) {
		return false
	}
	if without > 0 {
		g.Parts = append(g.Parts, Part{id: f.c.name + "=", title: f.title("no "+f.noun, others), rows: others})
	}
	return true
}

// dissolve opens a group that holds nearly everything, such as that of the one root of
// a tree. Not ok: that makes more than "most" lines.
func (f *forest) dissolve(g *Grouping, most int) (ok bool) {
	for range maxLevels {
		big := slices.IndexFunc(g.Parts, func(p Part) bool { return g.size(&p)*5 > f.t.Len()*4 })
		if big < 0 {
			return true
		}
		row := g.Parts[big].head - 1
		heads, rows := f.count(row)
		if len(g.Parts)-1+heads+len(g.Rest)+rows > most {
			return false
		}
		g.Rest = append(g.Rest, f.rows(row)...)
		inner := make([]Part, 0, heads)
		for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
			if f.leads(kid) {
				inner = append(inner, Part{head: kid + 1})
			}
		}
		g.Parts = slices.Replace(g.Parts, big, big+1, inner...)
	}
	return true
}

// plantLost groups rows that refer to the same row which is not there.
func (f *forest) plantLost(g *Grouping, strays []int32, most int) (ok bool) {
	v := newValues(f.t)
	of := f.t.memory.ints.take(len(strays))
	for i, r := range strays {
		of[i] = v.add(f.c.cells[r])
		if len(g.Parts)+len(v.first) > most {
			return false
		}
	}
	rows := pieces(f.t.memory.ints.take(len(strays)), v.count)
	for i, r := range strays {
		rows[of[i]] = append(rows[of[i]], r)
	}
	for n, x := range v.first {
		g.Parts = append(g.Parts, Part{id: f.c.name + "=" + f.t.exact(x), title: f.title(f.t.say(x, maxID), rows[n]), rows: rows[n]})
	}
	return true
}

// leads reports whether other rows refer to a row.
func (f *forest) leads(row int32) bool { return f.kids.first[row] != none }

// count is how many groups are in the group that row leads, and how many rows are in it
// and in none of those.
func (f *forest) count(row int32) (heads, rows int) {
	rows = 1
	for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
		if f.leads(kid) {
			heads++
		} else {
			rows++
		}
	}
	return heads, rows
}

// size is how many rows are in the group that row leads.
func (f *forest) size(row int32) int {
	n := 1
	for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
		n += f.size(kid)
	}
	return n
}

// appendAll appends the rows that are in the group that row leads.
func (f *forest) appendAll(dst []int32, row int32) []int32 {
	dst = append(dst, row)
	for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
		dst = f.appendAll(dst, kid)
	}
	return dst
}

// rows are row and those that refer to it and lead no group. They are good until they
// are asked for again.
func (f *forest) rows(row int32) []int32 {
	if _, n := f.count(row); n > cap(f.own) {
		f.t.memory.ints.give(f.own)
		f.own = f.t.memory.ints.take(whole(n))
	}
	out := append(f.own[:0], row)
	for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
		if !f.leads(kid) {
			out = append(out, kid)
		}
	}
	return out
}

// deepen groups what is too long in the group that row leads, and in those in it.
func (f *forest) deepen(row int32, used []string, levels int) {
	if levels == 0 {
		return
	}
	heads, n := f.count(row)
	if heads > 0 {
		for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
			if f.leads(kid) {
				f.deepen(kid, used, levels-1)
			}
		}
		return
	}
	if n <= f.t.maxRows {
		return
	}
	kids := append(f.t.memory.ints.take(n - 1)[:0], f.rows(row)[1:]...)
	if in := f.t.split(subset{rows: kids, used: used, id: string(f.appendID(nil, row)) + ","}, false, levels); in != nil {
		if f.split == nil {
			f.split = make(map[int32]*Grouping)
		}
		f.split[row] = in
		return
	}
	f.t.memory.ints.give(kids)
}

// walk is Grouping.Walk for the group that row leads.
func (f *forest) walk(row int32, level int, visit Visit) error {
	f.shown.head = row + 1
	if in := f.split[row]; in != nil {
		if err := visit(&f.shown, append([]int32{row}, in.Rest...), level); err != nil {
			return err
		}
		return in.walk(in.Parts, level+1, visit)
	}
	if err := visit(&f.shown, f.rows(row), level); err != nil {
		return err
	}
	for kid := f.kids.first[row]; kid != none; kid = f.kids.next[kid] {
		if f.leads(kid) {
			if err := f.walk(kid, level+1, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// lead is how the others refer to the row that leads them.
func (f *forest) lead(row int32) []byte {
	x := f.c.cells[f.kids.first[row]]
	return f.t.plain(x, x.size())
}

// appendID appends the id of the group that row leads.
func (f *forest) appendID(dst []byte, row int32) []byte {
	return append(append(append(dst, f.c.name...), '='), f.lead(row)...)
}

// appendTitle appends the title of the group that row leads.
func (f *forest) appendTitle(dst []byte, row int32) []byte {
	if f.all == nil {
		f.all = f.t.memory.ints.take(f.t.Len())
	}
	rows := f.appendAll(f.all[:0], row)[1:]
	if called := f.t.calling(int(row)); called != "" && called != string(f.lead(row)) {
		return f.finish(append(dst, called...), len(dst), rows)
	}
	return f.finish(caption.Append(dst, f.lead(row), maxID), len(dst), rows)
}

// title is that of a group that no row leads.
func (f *forest) title(head string, rows []int32) string {
	return string(f.finish([]byte(head), 0, rows))
}

// finish makes what a group is called, which stands in dst from start on, its title:
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
		if c := f.t.column(name); c != nil {
			if x := f.usual(c); !x.missing() {
				return f.t.say(x, maxID/2)
			}
		}
	}
	if f.t.keyed {
		return "key"
	}
	return "row"
}

// usual is the scalar that nine in ten heads have in a column, missing if there is none:
// each head votes against one that has another.
func (f *forest) usual(c *column) (x cell) {
	votes, heads, equal := 0, 0, 0
	for r := range c.cells {
		if !f.leads(int32(r)) {
			continue
		}
		heads++
		switch y := c.cells[r]; {
		case votes > 0 && same(f.t.b, x, y):
			votes++
		case votes > 0:
			votes--
		case f.t.isScalar(y):
			x, votes = y, 1
		}
	}
	if votes == 0 {
		return cell{}
	}
	for r := range c.cells {
		if f.leads(int32(r)) && same(f.t.b, x, c.cells[r]) {
			equal++
		}
	}
	if equal*10 < heads*9 {
		return cell{}
	}
	return x
}
