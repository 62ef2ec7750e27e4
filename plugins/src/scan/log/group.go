package log

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// groups groups the records by time, or by level if the times are not in order. It
// returns nil if neither is possible.
func (l *log) groups() []rows.Group {
	if len(l.stamps) <= rows.MaxLines {
		return nil
	}
	if !l.f.byLevel {
		most := rows.MaxLines
		if l.hasHead() {
			most-- // one line is for the head
		}
		groups := times.Groups(delayLate(l.stamps), most)
		if groups == nil {
			groups = l.bySecond(most)
		}
		if groups != nil {
			return l.timeGroups(groups)
		}
	}
	if len(l.stamps) > rows.MaxNamed {
		return nil
	}
	return l.levelGroups()
}

// delayLate returns the stamps in ascending order if few of them are late, as those of
// concurrent writers are: a late stamp is replaced by the latest one before it.
func delayLate(stamps []times.Stamp) []times.Stamp {
	const whole = len(stamps[0])
	out, late := slices.Clone(stamps), 0
	for i := 1; i < len(out); i++ {
		if !out[i].Same(&out[i-1]) && out[i].Before(out[i-1], whole) {
			out[i] = out[i-1]
			if late++; late*20 > len(out) {
				return stamps
			}
		}
	}
	return out
}

// timeGroups makes the groups of periods. A period with at least three times the median
// number of records is a burst.
func (l *log) timeGroups(periods []times.Group) []rows.Group {
	out, sizes := make([]rows.Group, len(periods)), make([]int, len(periods))
	for i, p := range periods {
		sizes[i] = p.Size()
	}
	slices.Sort(sizes)
	for i, p := range periods {
		title := caption.Count(p.Size(), "record")
		if span := spanOf(p); span != "" {
			title = span + ", " + title
		}
		if median := sizes[len(sizes)/2]; len(periods) > 3 && p.Size() > rows.MaxLines && p.Size() >= 3*median {
			title += ", burst"
		}
		alarms := l.joinCounts(l.count(p.From, p.To), warn)
		out[i] = rows.Group{ID: trimDate(p.Name), Title: rows.Title(title, alarms), From: int32(p.From), To: int32(p.To)}
		if len(p.Groups) > 0 {
			out[i].Inner = l.timeGroups(p.Groups)
		}
	}
	return out
}

// spanOf returns the first and last time of a period, without a date that is in its name.
func spanOf(p times.Group) string {
	const day = len("2026-11-21")
	switch {
	case p.Span == p.Name:
		return ""
	case len(p.Name) >= day && len(p.Span) > day && p.Span[:day] == p.Name[:day] && p.Span[day] == 'T':
		return p.Span[day+1:]
	}
	return trimDate(p.Span)
}

// trimDate removes the year and the day from times that have none.
func trimDate(s string) string {
	for _, none := range []string{"0000-00-00T", "0000-"} {
		if strings.HasPrefix(s, none) {
			return strings.ReplaceAll(s, none, "")
		}
	}
	return s
}

// count counts the records [from, to) by level.
func (l *log) count(from, to int) (n [levels]int) {
	for _, of := range l.levels[from:to] {
		n[of]++
	}
	return n
}

// joinCounts returns the counts of the levels from "lowest" on, the most severe first:
// "ERROR 3, WARN 12".
func (l *log) joinCounts(n [levels]int, lowest level) string {
	var out []string
	for of := fatal; of >= lowest; of-- {
		if n[of] > 0 {
			out = append(out, l.levelName(of)+" "+strconv.Itoa(n[of]))
		}
	}
	return strings.Join(out, ", ")
}

func (l *log) levelName(of level) string {
	if l.f.layout.isWeb {
		return statusNames[of]
	}
	return levelNames[of]
}

// levelGroups makes a group of the records of each level. It returns nil if there is
// one level, or if nearly all records have the same one and there are times too.
func (l *log) levelGroups() []rows.Group {
	n := l.count(0, len(l.levels))
	var out []rows.Group
	for i := range n {
		of := fatal - level(i) // records without a level come last
		if rows.IsDominant(n[of], len(l.levels)) && !l.f.byLevel {
			return nil
		}
		if n[of] == 0 {
			continue
		}
		name, records := l.levelName(of), make([]int32, 0, n[of])
		if of == unknown {
			name = "no level"
		}
		for i, level := range l.levels {
			if level == of {
				records = append(records, int32(i))
			}
		}
		out = append(out, rows.Group{ID: "level=" + l.levelName(of), Title: name + ": " + caption.Count(n[of], "record"), Rows: records})
	}
	if len(out) < 2 {
		return nil
	}
	slices.SortFunc(out, func(a, b rows.Group) int { return int(a.Rows[0] - b.Rows[0]) })
	return out
}
