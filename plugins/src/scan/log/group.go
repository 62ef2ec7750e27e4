package logscan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

const (
	maxGroups = 24 // groups in one list; as many records need none
	maxTitle  = 80
)

// group is a set of records: all of [from, to), or those listed.
type group struct {
	id, title string
	from, to  int
	rows      []int32
	inner     []group
}

// groups are those by time, or where times run both ways by level; nil: none.
func (l *log) groups() []group {
	if len(l.stamps) <= maxGroups {
		return nil
	}
	if l.f.leveled {
		if len(l.stamps) > maxNamed {
			return nil
		}
		return l.byLevel()
	}
	most := maxGroups
	if l.hasHead() {
		most-- // a line for what stands before the first record
	}
	if groups := times.Groups(ascending(l.stamps), most); groups != nil {
		return l.timed(groups)
	}
	if groups := l.bySecond(most); groups != nil {
		return l.timed(groups)
	}
	if len(l.stamps) > maxNamed {
		return nil
	}
	return l.byLevel()
}

// ascending are the stamps, and if few of them go back, as writers that wait for
// each other do, those have the latest time before them.
func ascending(stamps []times.Stamp) []times.Stamp {
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

// timed titles groups of times. One that holds three times as many records as
// half of them do is a burst.
func (l *log) timed(groups []times.Group) []group {
	out, sizes := make([]group, len(groups)), make([]int, len(groups))
	for i, g := range groups {
		sizes[i] = g.Size()
	}
	slices.Sort(sizes)
	for i, g := range groups {
		title := caption.Count(g.Size(), "record")
		if span := span(g); span != "" {
			title = span + ", " + title
		}
		if median := sizes[len(sizes)/2]; len(groups) > 3 && g.Size() > maxGroups && g.Size() >= 3*median {
			title += ", burst"
		}
		if alarms := l.said(l.count(g.From, g.To), true); alarms != "" {
			title += ": " + alarms
		}
		out[i] = group{id: undated(g.Name), title: caption.Clip(title, maxTitle), from: g.From, to: g.To}
		if len(g.Groups) > 0 {
			out[i].inner = l.timed(g.Groups)
		}
	}
	return out
}

// span is from when to when a group lasts, as far as its name does not say so.
func span(g times.Group) string {
	const day = len("2026-11-21")
	switch {
	case g.Span == g.Name:
		return ""
	case len(g.Name) >= day && len(g.Span) > day && g.Span[:day] == g.Name[:day] && g.Span[day] == 'T':
		return g.Span[day+1:]
	}
	return undated(g.Span)
}

// undated leaves out the year and the day of times that have none.
func undated(s string) string {
	for _, none := range []string{"0000-00-00T", "0000-"} {
		if strings.HasPrefix(s, none) {
			return strings.ReplaceAll(s, none, "")
		}
	}
	return s
}

// count counts records by level.
func (l *log) count(from, to int) (n [levels]int) {
	for _, of := range l.levels[from:to] {
		n[of]++
	}
	return n
}

// said names counts, the most severe levels first; alarms are warnings and worse.
func (l *log) said(n [levels]int, alarms bool) string {
	least := trace
	if alarms {
		least = warn
	}
	var said []string
	for of := fatal; of >= least; of-- {
		if n[of] > 0 {
			said = append(said, l.name(of)+" "+strconv.Itoa(n[of]))
		}
	}
	return strings.Join(said, ", ")
}

func (l *log) name(of level) string {
	if l.f.web {
		return statusNames[of]
	}
	return levelNames[of]
}

// byLevel makes a group of the records of each level, unless nearly all have one
// and there are times to choose by.
func (l *log) byLevel() []group {
	n := l.count(0, len(l.levels))
	var out []group
	for i := range n {
		of := fatal - level(i) // those without one come last
		if n[of]*5 > len(l.levels)*4 && !l.f.leveled {
			return nil
		}
		if n[of] == 0 {
			continue
		}
		name, rows := l.name(of), make([]int32, 0, n[of])
		if of == unknown {
			name = "no level"
		}
		for i, level := range l.levels {
			if level == of {
				rows = append(rows, int32(i))
			}
		}
		out = append(out, group{id: "level=" + l.name(of), title: name + ": " + caption.Count(n[of], "record"), rows: rows})
	}
	if len(out) < 2 {
		return nil
	}
	slices.SortFunc(out, func(a, b group) int { return int(a.rows[0] - b.rows[0]) })
	return out
}
