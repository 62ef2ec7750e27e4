package group

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// referringFields are fields that usually refer to other rows. Their values may be numbers,
// which in other fields are equal to an id by chance.
var referringFields = []string{"z", "parent_id", "parentId", "thread_ts", "owner_id"}

func isReferring(name string) bool { return slices.Contains(referringFields, name) }

// isReferred reports whether other rows refer to a row by this field.
func isReferred(name string) bool { return slices.Contains(rows.ReferencedFields, name) }

// Targets of a row that refers to no row of the table.
const (
	none     = -1
	dangling = -2 // it refers to a row that does not exist
)

const sampleRows = 64

// byReference groups rows by a field of ids of other rows. Each row that is referred to is
// the head of a group of the rows that refer to it.
func (g *Grouper) byReference(only string) *Grouping {
	if !g.IsUniform() {
		return nil
	}
	most := g.MaxRows
	if only != "" {
		most = g.Len()
	}
	var ids indexes
	for _, c := range g.referenceColumns(only) {
		if ids == nil {
			ids = g.indexIDs()
		}
		target := g.resolve(c, ids, most)
		if target == nil {
			continue
		}
		ids.release() // the groups use the memory
		ids = nil
		if out := newForest(g, c, target, most); out != nil && (only != "" || g.isUseful(out, g.Len())) {
			return out
		}
	}
	ids.release()
	return nil
}

// referenceColumns returns the candidates, the usual ones first.
func (g *Grouper) referenceColumns(only string) (out []*column.Column) {
	if only != "" {
		if c := g.ByName(only); c != nil {
			out = append(out, c)
		}
		return out
	}
	for _, name := range referringFields {
		if c := g.ByName(name); c != nil {
			out = append(out, c)
		}
	}
	for _, c := range g.Columns {
		if !isReferred(c.Name) && !isReferring(c.Name) {
			out = append(out, c)
		}
	}
	return out
}

// indexes find rows by their ids.
type indexes []*column.Index

// indexIDs indexes the keys and all fields by which rows may be referred to.
func (g *Grouper) indexIDs() (x indexes) {
	if g.Keyed {
		x = append(x, g.IndexKeys())
	}
	for _, name := range rows.ReferencedFields {
		if c := g.ByName(name); c != nil {
			x = append(x, g.IndexOf(c))
		}
	}
	return x
}

func (x indexes) release() {
	for _, i := range x {
		i.Release()
	}
}

// row returns the first row with this id, -1 if there is none.
func (x indexes) row(id []byte) int32 {
	for _, i := range x {
		if row := i.Row(id); row >= 0 {
			return row
		}
	}
	return -1
}

// resolve returns the row that each row refers to by c. It returns nil if c does not
// refer to rows: at least half of the rows must have it, nine in ten of its distinct values
// must be ids, and not all of them the row's own. It also returns nil if more than "most"
// rows are heads that refer to no row.
func (g *Grouper) resolve(c *column.Column, ids indexes, most int) []int32 {
	if !g.looksReferring(c, ids) {
		return nil
	}
	target := g.Memory.Ints.Get(g.Len())
	found, heads, lost := g.NewRowSet(), g.NewRowSet(), g.IndexSome(c, g.Len()/9+1)
	filled, foundCount, others := 0, 0, 0
	for r, x := range c.Cells {
		target[r] = none
		if !g.mayRefer(c, x) || lost.Count*9 > g.Len() { // too many are lost, whatever else is found
			continue
		}
		filled++
		text := g.Bytes(x)
		to := ids.row(text)
		switch {
		case to < 0:
			lost.Add(int32(r), cell.Hash(text))
			target[r] = dangling
			continue
		case to != int32(r): // a row that refers to itself is a head
			target[r] = to
			heads.Add(to)
			others++
		}
		if !found.Has(to) {
			found.Add(to)
			foundCount++
		}
	}
	lost.Release()
	if filled*2 < g.Len() || foundCount < lost.Count*9 || others == 0 || countRoots(target, heads) > most {
		g.Memory.Ints.Put(target)
		return nil
	}
	return target
}

// countRoots returns how many heads refer to no row.
func countRoots(target []int32, heads column.RowSet) (n int) {
	for r, to := range target {
		if to < 0 && heads.Has(int32(r)) {
			n++
		}
	}
	return n
}

// looksReferring reports whether at least half of a sample of cells are ids. That saves
// looking up all texts of a column.
func (g *Grouper) looksReferring(c *column.Column, ids indexes) bool {
	filled, found := 0, 0
	step := max(1, g.Len()/sampleRows)
	for r := 0; r < g.Len(); r += step {
		if x := c.Cells[r]; g.mayRefer(c, x) {
			filled++
			if ids.row(g.Bytes(x)) >= 0 {
				found++
			}
		}
	}
	return filled > 0 && 2*found >= filled
}

// mayRefer reports whether a cell may be the id of another row.
func (g *Grouper) mayRefer(c *column.Column, x cell.Cell) bool {
	return g.IsString(x) || isReferring(c.Name) && g.IsNumber(x)
}
