package times

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// levels are the numbers of characters of a stamp by which records are grouped: year,
// month, day, hour, minute.
var levels = [...]int{4, 7, 10, 13, 16}

// maxInner bounds the finer groups in a group, such as the minutes of an hour.
const maxInner = 60

// Group is a run of records of one year, month, day, hour or minute.
type Group struct {
	From, To int     // records [From, To)
	Name     string  // the common start of the times: 2026-11-21T08
	Span     string  // the first and the last time: 2026-11-21T08:00..08:59
	Groups   []Group // finer groups, which contain all of its records; nil if they are few
}

// Size returns the number of records.
func (g Group) Size() int { return g.To - g.From }

// Groups groups records in ascending or descending order of time by the coarsest level
// that makes 2 to "most" groups, none of them with more than four fifths of the records.
// Groups of more than "most" records are grouped by finer levels. It returns nil if there
// is no such level.
func Groups(stamps []Stamp, most int) []Group {
	for _, n := range levels {
		groups := splitRuns(stamps, 0, len(stamps), n, most)
		if len(groups) < 2 || hasDominant(groups, len(stamps)) {
			continue
		}
		deepen(groups, stamps, n, most)
		return groups
	}
	return nil
}

// hasDominant reports whether a group has more than four fifths of all records.
func hasDominant(groups []Group, all int) bool {
	return slices.ContainsFunc(groups, func(g Group) bool { return rows.IsDominant(g.Size(), all) })
}

// deepen groups the records of long groups by finer levels.
func deepen(groups []Group, stamps []Stamp, level, most int) {
	for i := range groups {
		g := &groups[i]
		if g.Size() <= most {
			continue
		}
		for _, n := range levels {
			if n <= level {
				continue
			}
			if finer := splitRuns(stamps, g.From, g.To, n, maxInner); len(finer) > 1 && 2*len(finer) <= g.Size() {
				deepen(finer, stamps, n, most)
				g.Groups = finer
				break
			}
		}
	}
}

// splitRuns returns the runs of the records [from, to) with the same first n characters of the
// time. It returns nil if there are more than "most" runs, if stamps are shorter, or if
// the times are not in order.
func splitRuns(stamps []Stamp, from, to, n, most int) []Group {
	if stamps[from].size() < n {
		return nil
	}
	up, down := false, false
	borders := []int{from}
	head, tail := masks(n)
	date, time := stamps[from].words()
	for i := from + 1; i < to; i++ {
		this, next := &stamps[i-1], &stamps[i]
		nextDate, nextTime := next.words()
		if (date^nextDate)&head|(time^nextTime)&tail == 0 {
			continue
		}
		date, time = nextDate, nextTime
		if this.Before(*next, n) {
			up = true
		} else {
			down = true
		}
		if up && down || len(borders) == most {
			return nil
		}
		borders = append(borders, i)
	}
	groups := make([]Group, 0, len(borders))
	for i, from := range borders {
		end := to
		if i+1 < len(borders) {
			end = borders[i+1]
		}
		groups = append(groups, Group{From: from, To: end, Name: string(stamps[from][:n]), Span: formatSpan(stamps[from], stamps[end-1])})
	}
	return groups
}

// formatSpan returns two times as text; a date that both have is not repeated.
func formatSpan(a, b Stamp) string {
	switch {
	case a == b:
		return a.String()
	case a.size() == 16 && b.size() == 16 && string(a[:10]) == string(b[:10]):
		return a.String() + ".." + string(b[11:])
	}
	return a.String() + ".." + b.String()
}

// Of returns the times of n records, nil if more than one in ten has none. A record without
// a time has the time of the preceding record.
func Of(n int, at func(i int) (Stamp, bool)) (out []Stamp) {
	missing := 0
	for i := range n {
		s, ok := at(i)
		if !ok {
			if missing++; missing*10 > n {
				return nil
			}
			if i > 0 && out != nil {
				out[i] = out[i-1]
			}
			continue
		}
		if out == nil {
			out = make([]Stamp, n)
			for j := range i {
				out[j] = s
			}
		}
		out[i] = s
	}
	return out
}
