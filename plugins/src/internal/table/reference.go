package table

import "slices"

var (
	// ownIDs are fields by which a row may be referred to.
	ownIDs = []string{"id", "_id", "ts", "uid", "key", "name", "number"}
	// referring are fields that usually refer; they may be numbers too, which
	// in other fields are equal by chance.
	referring = []string{"z", "parent_id", "parentId", "thread_ts", "owner_id"}
)

func isOwnID(name string) bool { return slices.Contains(ownIDs, name) }

func isRefer(name string) bool { return slices.Contains(referring, name) }

// byReference groups rows by a field whose values are other rows' ids: each
// row that is referred to leads the group of those that refer to it.
func (t *Table) byReference(only string) *Grouping {
	if t.objects*10 < len(t.rows)*9 {
		return nil
	}
	most := t.maxRows
	if only != "" {
		most = len(t.rows)
	}
	var ids indexes
	for _, c := range t.referenceColumns(only) {
		if ids == nil {
			ids = t.indexIDs()
		}
		target := t.refer(c, ids, most)
		if target == nil {
			continue
		}
		ids.settle() // for the groups to be made in its memory
		ids = nil
		if g := t.forest(c, target, most); g != nil && (only != "" || t.fits(g, len(t.rows))) {
			return g
		}
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

// indexes find rows by their ids.
type indexes []*index

// indexIDs indexes all fields by which rows may be referred to, and keys.
func (t *Table) indexIDs() (x indexes) {
	if t.keyed {
		x = append(x, t.indexKeys())
	}
	for _, name := range ownIDs {
		if c := t.column(name); c != nil {
			x = append(x, t.indexOf(c))
		}
	}
	return x
}

func (x indexes) settle() {
	for _, i := range x {
		i.settle()
	}
}

// row is the first row that has this id, or -1.
func (x indexes) row(id []byte) int32 {
	for _, i := range x {
		if row := i.row(id); row >= 0 {
			return row
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
// row's own. It is nil too if there are more than "most" heads, rows that are referred to
// and refer to none: each of them leads a group.
func (t *Table) refer(c *column, ids indexes, most int) []int32 {
	if !t.looksReferring(c, ids) {
		return nil
	}
	target := t.memory.ints.take(len(t.rows))
	named, leads, lost := newRowSet(t), newRowSet(t), newIndex(t, c.cells, len(t.rows)/9+1)
	filled, found, others := 0, 0, 0
	for r, x := range c.cells {
		target[r] = none
		if !t.mayRefer(c, x) || lost.count*9 > len(t.rows) { // that is too much, whatever is found
			continue
		}
		filled++
		text := t.text(x)
		to := ids.row(text)
		switch {
		case to < 0:
			lost.add(int32(r), hash(text))
			target[r] = dangling
			continue
		case to != int32(r): // else it is a head
			target[r] = to
			leads.add(to)
			others++
		}
		if !named.has(to) {
			named.add(to)
			found++
		}
	}
	lost.settle()
	if filled*2 < len(t.rows) || found < lost.count*9 || others == 0 || leading(target, leads) > most {
		t.memory.ints.give(target)
		return nil
	}
	return target
}

// leading is how many rows lead others and refer to none.
func leading(target []int32, leads rowSet) (heads int) {
	for r, to := range target {
		if to < 0 && leads.has(int32(r)) {
			heads++
		}
	}
	return heads
}

// looksReferring asks a sample, which saves looking up every text of a column.
func (t *Table) looksReferring(c *column, ids indexes) bool {
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
