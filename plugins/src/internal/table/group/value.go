package group

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// candidate is a column by which rows could be grouped.
type candidate struct {
	*column.Column
	groups int
	most   int // rows of the largest group
}

// byValue groups rows by a scalar field of few values that nine in ten rows have: one that
// usually classifies rows, or else the one with the most even groups.
func (g *Grouper) byValue(s subset) *Grouping {
	for _, k := range g.candidates(s) {
		few := k.groups > 1 && k.groups <= g.MaxRows && !rows.IsDominant(k.most, len(s.rows))
		if few || s.only != "" && k.groups > 1 && k.groups <= g.MaxRows*g.MaxRows {
			return &Grouping{By: k.Name, Parts: g.valueParts(k, s)}
		}
	}
	return nil
}

// candidates returns the candidates in the order in which they are tried. They are valid
// until the next call.
func (g *Grouper) candidates(s subset) []candidate {
	even := g.even[:0]
	for _, c := range g.Columns {
		if slices.Contains(s.used, c.Name) || s.only != "" && c.Name != s.only || s.only == "" && (isReferred(c.Name) || g.IsTime(c)) {
			continue
		}
		if s.only == "" && g.isRare(c, s) {
			continue
		}
		if groups, most := g.count(c, s); most > 0 {
			even = append(even, candidate{c, groups, most})
		}
	}
	slices.SortStableFunc(even, func(a, b candidate) int { return a.most - b.most })
	out := g.ordered[:0]
	for _, c := range g.kinds {
		if i := slices.IndexFunc(even, func(k candidate) bool { return k.Column == c }); i >= 0 {
			out = append(out, even[i])
		}
	}
	g.even, g.ordered = even, append(out, even...)
	return g.ordered
}

// count returns the number of groups that c makes of a subset, and the rows of the largest
// one. It returns zeros if c is no candidate, as soon as that is certain.
func (g *Grouper) count(c *column.Column, s subset) (groups, most int) {
	v := g.ValuesOf(c, s.only != "")
	if v.Many || s.only == "" && len(s.rows) == g.Len() && len(v.First) > g.MaxRows {
		return 0, 0
	}
	counts, largest, all := g.Memory.Counts(len(v.First)+1), int32(0), len(s.rows)
	for _, r := range s.rows {
		n := v.Of[r] + 1 // 0 for rows without a value
		k := counts[n] + 1
		counts[n], largest = k, max(largest, k)
		if k > 1 {
			continue
		}
		if n > 0 && v.First[n-1].Size() > rows.MaxID {
			return 0, 0 // a text, not a category
		}
		if groups++; s.only == "" && groups*v.MinShare > all {
			return 0, 0
		}
	}
	if s.only == "" && int(counts[0])*10 > all {
		return 0, 0
	}
	return groups, int(largest)
}

// valueParts returns the groups in the order in which their values first appear. Rows
// without a value come last.
func (g *Grouper) valueParts(k candidate, s subset) []Part {
	v := g.ValuesOf(k.Column, s.only != "")
	scratch := append(g.Memory.Ints.Get(len(s.rows))[:0], s.rows...)
	sets := rows.Partition(s.rows, v.Tally(scratch))
	for _, r := range scratch {
		n := int(v.Of[r])
		if n < 0 {
			n = len(v.First)
		}
		sets[n] = append(sets[n], r)
	}
	g.Memory.Ints.Put(scratch)
	used := slices.Concat(s.used, []string{k.Name})
	parts := make([]Part, 0, k.groups)
	for i, members := range sets {
		if len(members) == 0 {
			continue
		}
		value, name := "", "no "+k.Name
		if i < len(v.First) {
			value = g.Exact(v.First[i])
			if name = g.Caption(v.First[i], rows.MaxTitle/2); name == "" {
				name = "empty " + k.Name
			}
		}
		parts = append(parts, Part{
			id:    s.id + k.Name + "=" + value,
			title: g.groupTitle(name, members, used, g.KeyPrefix()),
			rows:  members,
		})
	}
	return parts
}
