package table

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsonscan"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

// timeNames are fields whose numbers are seconds or milliseconds of an epoch.
var timeNames = []string{"ts", "time", "timestamp", "date", "created", "created_at", "createdAt", "updated", "@timestamp", "timeMs"}

// byTime groups rows by a time that never goes back, or never forth.
func (t *Table) byTime(s subset) *Grouping {
	for _, c := range t.columns {
		if s.only != "" && c.name != s.only || !t.mayBeTime(c) || t.seldom(c, s) {
			continue
		}
		stamps := times.Of(len(s.rows), func(i int) (times.Stamp, bool) { return t.stamp(c, c.cells[s.rows[i]]) })
		if stamps == nil {
			continue
		}
		if groups := times.Groups(stamps, t.maxRows); groups != nil {
			return &Grouping{By: c.name, Parts: t.timeParts(groups, s)}
		}
	}
	return nil
}

func (t *Table) timeParts(groups []times.Group, s subset) []Part {
	parts := make([]Part, len(groups))
	for i, g := range groups {
		rows := s.rows[g.From:g.To:g.To]
		title := g.Span + ", " + caption.Count(len(rows), t.kindWord())
		mix, _ := t.mix(rows, s.used...)
		parts[i] = Part{id: s.id + g.Name, title: withMix(title, mix), rows: rows}
		if g.Groups != nil {
			parts[i].rows, parts[i].parts = nil, t.timeParts(g.Groups, s)
		}
	}
	return parts
}

// mayBeTime reports whether a column holds what stamp looks at.
func (t *Table) mayBeTime(c *column) bool {
	return c.kinds&bit(jsonscan.Text) != 0 || c.kinds&bit(jsonscan.Number) != 0 && slices.Contains(timeNames, c.name)
}

func (t *Table) stamp(c *column, x cell) (times.Stamp, bool) {
	switch {
	case t.isText(x) && x.size() < maxID:
		return times.Parse(t.b[x.start+1 : x.end-1])
	case t.isNumber(x) && slices.Contains(timeNames, c.name):
		return times.ParseEpoch(t.text(x))
	}
	return times.Stamp{}, false
}

// answer to a question that is asked again and again.
type answer int8

const (
	unasked answer = iota
	yes
	no
)

// isTime reports whether the first cell of a column that is there is a time.
func (t *Table) isTime(c *column) bool {
	if c.time != unasked {
		return c.time == yes
	}
	c.time = no
	for _, x := range c.cells {
		if x.missing() {
			continue
		}
		if _, ok := t.stamp(c, x); ok {
			c.time = yes
		}
		break
	}
	return c.time == yes
}

// timeRange is the first and last time of a column that holds times.
func (t *Table) timeRange(c *column) (from, to string, ok bool) {
	var low, high times.Stamp
	if c.kinds&bit(jsonscan.Text) == 0 {
		return "", "", false
	}
	for _, x := range c.distinct() {
		if !t.isText(x) {
			continue
		}
		s, isTime := t.stamp(c, x)
		if !isTime {
			return "", "", false
		}
		if ok && s.Same(&high) { // as most records that follow each other
			continue
		}
		if !ok || s.Before(low, 16) {
			low = s
		}
		if !ok || high.Before(s, 16) {
			high = s
		}
		ok = true
	}
	return low.String(), high.String(), ok
}
