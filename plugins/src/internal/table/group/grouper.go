package group

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/label"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// Values of the config key groupBy that are no field.
const (
	Auto = "auto"
	None = "none"
)

// Grouper groups the rows of one table.
type Grouper struct {
	*label.Labels
	kinds []*column.Column // of rows.KindFields
	mixes []*column.Column // of rows.MixFields, those that at least half of the objects have

	even, ordered []candidate // memory for candidates
}

// Reset makes g the Grouper of a table.
func (g *Grouper) Reset(l *label.Labels) {
	*g = Grouper{Labels: l, even: g.even, ordered: g.ordered}
	if !l.IsLarge() || len(l.Columns) == 0 {
		return
	}
	g.kinds, g.mixes = l.Named(rows.KindFields), l.Named(rows.MixFields)
	g.mixes = slices.DeleteFunc(g.mixes, func(c *column.Column) bool { return 2*c.Filled < l.Objects })
}

// Group groups by the first rule that makes 2 to MaxRows groups, none of them dominant: a
// field that refers to other rows; for a log, time; a field of few values; the prefix of
// keys or ids; time. The members of an object are only grouped by their keys, because
// readers look for those, and the title of any other group would hide them. If by is a
// field, no other field is used. Group returns nil if no rule applies or if there are few
// rows.
func (g *Grouper) Group(by string, log bool) *Grouping {
	if by == None || !g.IsLarge() {
		return nil
	}
	s := subset{only: by}
	if by == Auto {
		s.only = ""
	}
	if out := g.byReference(s.only); out != nil {
		g.deepen(out, out.Parts, []string{out.By}, rows.MaxLevels-1)
		return out
	}
	s.rows = g.Memory.Ints.Get(g.Len())
	for i := range s.rows {
		s.rows[i] = int32(i)
	}
	return g.split(s, log, rows.MaxLevels)
}

// subset is a set of rows that are to be grouped.
type subset struct {
	rows []int32  // owned by the subset: groups may use its memory
	only string   // the only field to be used, empty for any
	used []string // the fields by which the outer groups were made
	id   string   // id of the outer group with a comma
}

// split groups a subset by all rules but references.
func (g *Grouper) split(s subset, log bool, levels int) *Grouping {
	rules := []func(*Grouper, subset) *Grouping{(*Grouper).byValue, (*Grouper).byPrefix, (*Grouper).byTime}
	if log {
		rules = []func(*Grouper, subset) *Grouping{(*Grouper).byTime, (*Grouper).byValue, (*Grouper).byPrefix}
	}
	if g.Keyed && s.only == "" {
		rules = []func(*Grouper, subset) *Grouping{(*Grouper).byPrefix}
	}
	for _, rule := range rules {
		if out := rule(g, s); out != nil {
			g.deepen(out, out.Parts, slices.Concat(s.used, []string{out.By}), levels-1)
			return out
		}
	}
	return nil
}

// deepen groups the rows of long parts of a grouping.
func (g *Grouper) deepen(in *Grouping, parts []Part, used []string, levels int) {
	if levels == 0 {
		return
	}
	for i := range parts {
		p := &parts[i]
		if p.head > 0 {
			in.forest.deepen(p.head-1, used, levels)
			continue
		}
		g.deepen(in, p.parts, used, levels-1)
		if len(p.rows) <= g.MaxRows || len(p.parts) > 0 {
			continue
		}
		if inner := g.split(subset{rows: p.rows, used: used, id: p.id + ","}, false, levels); inner != nil {
			p.parts, p.rows = inner.Parts, inner.Rest
		}
	}
}

// isUseful reports whether a grouping of that many rows makes few lines and has no dominant
// group.
func (g *Grouper) isUseful(in *Grouping, total int) bool {
	lines := len(in.Parts) + len(in.Rest)
	if len(in.Parts) == 0 || lines < 2 || lines > g.MaxRows {
		return false
	}
	for i := range in.Parts {
		if rows.IsDominant(in.size(&in.Parts[i]), total) {
			return false
		}
	}
	return true
}

// isRare reports whether more than one in ten rows of a subset certainly lack c.
func (g *Grouper) isRare(c *column.Column, s subset) bool {
	return len(s.rows) == g.Len() && !rows.IsMost(c.Filled, g.Len())
}
