package stagetest

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// claim is the span that a Section occupies in its nearest exact ancestor, or in a
// decoded string or its decoded parent.
type claim struct {
	literal    stage.Span
	around     int
	start, end int
	id         string
}

// findOverlap returns the reason why a tree is invalid: two Sections claim the same bytes,
// regardless of groups and derived Sections between them.
func (t *tree) findOverlap() string {
	var claims []claim
	for i, s := range t.sections {
		c := claim{s.Literal, t.facts[i].exact, s.Start, s.End, s.ID}
		switch s.Kind {
		case stage.Decoded:
			c.around = -1
			if h := t.nearestHolder(s.Parent); t.sections[h].Kind == stage.Decoded {
				c.around = h
			}
			claims = append(claims, c)
		case stage.Exact:
			claims = append(claims, c)
		}
	}
	slices.SortStableFunc(claims, func(a, b claim) int {
		if d := a.literal.Start - b.literal.Start; d != 0 {
			return d
		}
		if d := a.around - b.around; d != 0 {
			return d
		}
		return a.start - b.start
	})
	for i := 1; i < len(claims); i++ {
		a, b := claims[i-1], claims[i]
		if a.literal == b.literal && a.around == b.around && b.start < a.end {
			return "sections " + strconv.Quote(a.id) + " and " + strconv.Quote(b.id) + " overlap at byte " + testhost.Commas(b.start)
		}
	}
	return ""
}
