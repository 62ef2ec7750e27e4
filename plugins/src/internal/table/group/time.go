package group

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// byTime groups rows by times that never decrease, or never increase.
func (g *Grouper) byTime(s subset) *Grouping {
	for _, c := range g.Columns {
		if s.only != "" && c.Name != s.only || !c.MayBeTime() || g.isRare(c, s) {
			continue
		}
		stamps := times.Of(len(s.rows), func(i int) (times.Stamp, bool) { return g.Stamp(c, c.Cells[s.rows[i]]) })
		if stamps == nil {
			continue
		}
		if groups := times.Groups(stamps, g.MaxRows); groups != nil {
			return &Grouping{By: c.Name, Parts: g.timeParts(groups, s)}
		}
	}
	return nil
}

func (g *Grouper) timeParts(groups []times.Group, s subset) []Part {
	parts := make([]Part, len(groups))
	for i, period := range groups {
		members := s.rows[period.From:period.To:period.To]
		title := period.Span + ", " + caption.Count(len(members), g.Noun())
		parts[i] = Part{id: s.id + period.Name, title: rows.Title(title, g.mix(members, s.used)), rows: members}
		if period.Groups != nil {
			parts[i].rows, parts[i].parts = nil, g.timeParts(period.Groups, s)
		}
	}
	return parts
}
