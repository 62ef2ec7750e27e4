package group

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/pool"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// forest holds the groups of rows that refer to others: each row that is referred to is
// the head of a group. There may be nearly as many groups as rows, and Parts of all of
// them would take more memory than the text. So only the references are stored.
type forest struct {
	*Grouper
	column   *column.Column
	children lists               // by row: the rows that refer to it
	inner    map[int32]*Grouping // by head: how its group is grouped by other fields
	noun     string              // the word for heads
	all      []int32             // memory for all rows of one group
	own      []int32             // memory for the rows of one group without those of groups in it
	visited  Part                // the group that is visited
}

// newForest returns the grouping by the row that each row refers to. It returns nil if
// there would be more than "most" lines.
func newForest(g *Grouper, c *column.Column, target []int32, most int) *Grouping {
	ints := &g.Memory.Ints
	marks := ints.Get(len(target))
	cutCycles(target, marks)
	clear(marks)
	shortenChains(target, marks)
	ints.Put(marks)
	f := &forest{Grouper: g, column: c, children: newLists(ints, len(target))}
	for r := len(target) - 1; r >= 0; r-- {
		if to := target[r]; to >= 0 {
			f.children.prepend(to, int32(r))
		}
	}
	f.noun = f.headNoun()
	out := &Grouping{By: c.Name, forest: f}
	if !f.build(out, target, most) {
		f.children.release(ints)
		out = nil
	}
	ints.Put(target)
	return out
}

// build makes the groups at the top: those of heads that refer to no row, those of rows
// that refer to the same missing row, and one of the rows that neither refer nor are
// referred to. It reports whether there are at most "most" of them.
func (f *forest) build(out *Grouping, target []int32, most int) (ok bool) {
	var lostCount, otherCount int
	for r, to := range target {
		switch {
		case to >= 0:
		case f.isHead(int32(r)):
			if out.Parts = append(out.Parts, Part{head: int32(r) + 1}); len(out.Parts) > most {
				return false
			}
		case to == dangling:
			lostCount++
		default:
			otherCount++
		}
	}
	if !f.openDominant(out, most) {
		return false
	}
	memory := f.Memory.Ints.Get(lostCount + otherCount)
	lost, others := memory[:0:lostCount], memory[lostCount:lostCount]
	for r, to := range target {
		switch {
		case to >= 0 || f.isHead(int32(r)):
		case to == dangling:
			lost = append(lost, int32(r))
		default:
			others = append(others, int32(r))
		}
	}
	if !f.groupLost(out, lost, most) {
		return false
	}
	if len(others) > 0 {
		out.Parts = append(out.Parts, Part{id: f.column.Name + "=", title: f.title("no "+f.noun, others), rows: others})
	}
	return true
}

// openDominant replaces a dominant group, such as that of the only root of a tree, by the
// groups in it. It reports whether there are at most "most" lines then.
func (f *forest) openDominant(out *Grouping, most int) (ok bool) {
	for range rows.MaxLevels {
		big := slices.IndexFunc(out.Parts, func(p Part) bool { return rows.IsDominant(out.size(&p), f.Len()) })
		if big < 0 {
			return true
		}
		row := out.Parts[big].head - 1
		heads, others := f.count(row)
		if len(out.Parts)-1+heads+len(out.Rest)+others > most {
			return false
		}
		out.Rest = append(out.Rest, f.ownRows(row)...)
		inner := make([]Part, 0, heads)
		for child := f.children.first[row]; child != none; child = f.children.next[child] {
			if f.isHead(child) {
				inner = append(inner, Part{head: child + 1})
			}
		}
		out.Parts = slices.Replace(out.Parts, big, big+1, inner...)
	}
	return true
}

// groupLost groups rows that refer to the same missing row.
func (f *forest) groupLost(out *Grouping, lost []int32, most int) (ok bool) {
	v := f.NewValues()
	of := f.Memory.Ints.Get(len(lost))
	for i, r := range lost {
		of[i] = v.Add(f.column.Cells[r])
		if len(out.Parts)+len(v.First) > most {
			return false
		}
	}
	sets := rows.Partition(f.Memory.Ints.Get(len(lost)), v.Count)
	for i, r := range lost {
		sets[of[i]] = append(sets[of[i]], r)
	}
	for n, x := range v.First {
		out.Parts = append(out.Parts, Part{id: f.column.Name + "=" + f.Exact(x), title: f.title(f.Caption(x, rows.MaxID), sets[n]), rows: sets[n]})
	}
	return true
}

// isHead reports whether other rows refer to a row.
func (f *forest) isHead(row int32) bool { return f.children.first[row] != none }

// count returns how many groups are in the group of a head, and how many rows are in it
// and in none of those.
func (f *forest) count(head int32) (heads, others int) {
	others = 1
	for child := f.children.first[head]; child != none; child = f.children.next[child] {
		if f.isHead(child) {
			heads++
		} else {
			others++
		}
	}
	return heads, others
}

// size returns the number of rows in the group of a head.
func (f *forest) size(head int32) int {
	n := 1
	for child := f.children.first[head]; child != none; child = f.children.next[child] {
		n += f.size(child)
	}
	return n
}

// appendAll appends all rows of the group of a head.
func (f *forest) appendAll(dst []int32, head int32) []int32 {
	dst = append(dst, head)
	for child := f.children.first[head]; child != none; child = f.children.next[child] {
		dst = f.appendAll(dst, child)
	}
	return dst
}

// ownRows returns a head and the rows that refer to it and are no heads. They are valid
// until the next call.
func (f *forest) ownRows(head int32) []int32 {
	if _, n := f.count(head); n > cap(f.own) {
		f.Memory.Ints.Put(f.own)
		f.own = f.Memory.Ints.Get(pool.Round(n))
	}
	out := append(f.own[:0], head)
	for child := f.children.first[head]; child != none; child = f.children.next[child] {
		if !f.isHead(child) {
			out = append(out, child)
		}
	}
	return out
}

// deepen groups the rows of the group of a head, and of those in it, if they are many.
func (f *forest) deepen(head int32, used []string, levels int) {
	if levels == 0 {
		return
	}
	heads, n := f.count(head)
	if heads > 0 {
		for child := f.children.first[head]; child != none; child = f.children.next[child] {
			if f.isHead(child) {
				f.deepen(child, used, levels-1)
			}
		}
		return
	}
	if n <= f.MaxRows {
		return
	}
	children := append(f.Memory.Ints.Get(n - 1)[:0], f.ownRows(head)[1:]...)
	if inner := f.split(subset{rows: children, used: used, id: string(f.appendID(nil, head)) + ","}, false, levels); inner != nil {
		if f.inner == nil {
			f.inner = make(map[int32]*Grouping)
		}
		f.inner[head] = inner
		return
	}
	f.Memory.Ints.Put(children)
}

// walk is Grouping.Walk for the group of a head.
func (f *forest) walk(head int32, level int, visit Visit) error {
	f.visited.head = head + 1
	if inner := f.inner[head]; inner != nil {
		if err := visit(&f.visited, append([]int32{head}, inner.Rest...), level); err != nil {
			return err
		}
		return inner.walk(inner.Parts, level+1, visit)
	}
	if err := visit(&f.visited, f.ownRows(head), level); err != nil {
		return err
	}
	for child := f.children.first[head]; child != none; child = f.children.next[child] {
		if f.isHead(child) {
			if err := f.walk(child, level+1, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// headID returns the id by which other rows refer to a head.
func (f *forest) headID(head int32) []byte {
	x := f.column.Cells[f.children.first[head]]
	return f.Unquoted(x, x.Size())
}

// appendID appends the id of the group of a head.
func (f *forest) appendID(dst []byte, head int32) []byte {
	return append(append(append(dst, f.column.Name...), '='), f.headID(head)...)
}

// appendTitle appends the title of the group of a head.
func (f *forest) appendTitle(dst []byte, head int32) []byte {
	if f.all == nil {
		f.all = f.Memory.Ints.Get(f.Len())
	}
	members := f.appendAll(f.all[:0], head)[1:]
	if name := f.DisplayName(int(head)); name != "" && name != string(f.headID(head)) {
		return f.finishTitle(append(dst, name...), len(dst), members)
	}
	return f.finishTitle(caption.Append(dst, f.headID(head), rows.MaxID), len(dst), members)
}

// title returns the title of a group without a head.
func (f *forest) title(name string, members []int32) string {
	return string(f.finishTitle([]byte(name), 0, members))
}

// finishTitle completes a title that begins at start with the name of the group: it
// appends the number of its members and their mix.
func (f *forest) finishTitle(dst []byte, start int, members []int32) []byte {
	dst = append(caption.Cut(dst, start, rows.MaxTitle/2), ": "...)
	dst = rows.AppendCount(dst, len(members), "node")
	counted := len(dst)
	dst = append(dst, ": "...)
	if mixed, _ := f.appendMix(dst, members, []string{f.column.Name}); len(mixed) > len(dst) {
		return caption.Cut(mixed, start, rows.MaxTitle)
	}
	return caption.Cut(dst[:counted], start, rows.MaxTitle)
}

// headNoun returns the type that nine in ten heads have, or else a general word.
func (f *forest) headNoun() string {
	for _, name := range []string{"type", "kind"} {
		if c := f.ByName(name); c != nil {
			if x := f.usualCell(c); !x.IsMissing() {
				return f.Caption(x, rows.MaxID/2)
			}
		}
	}
	if f.Keyed {
		return "key"
	}
	return "row"
}

// usualCell returns the scalar that nine in ten heads have in a column, by a majority vote;
// it is missing if there is none.
func (f *forest) usualCell(c *column.Column) (x cell.Cell) {
	votes, heads, equal := 0, 0, 0
	for r, y := range c.Cells {
		if !f.isHead(int32(r)) {
			continue
		}
		heads++
		switch {
		case votes > 0 && cell.Same(f.B, x, y):
			votes++
		case votes > 0:
			votes--
		case f.IsScalar(y):
			x, votes = y, 1
		}
	}
	if votes == 0 {
		return cell.Cell{}
	}
	for r, y := range c.Cells {
		if f.isHead(int32(r)) && cell.Same(f.B, x, y) {
			equal++
		}
	}
	if !rows.IsMost(equal, heads) {
		return cell.Cell{}
	}
	return x
}
