package log

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// Lengths of a time of day by which bySecond groups records.
const (
	tenSeconds = len("20:10:4")
	oneSecond  = len("20:10:48")
)

// bySecond groups the records of a log of a few minutes by ten seconds, and long groups
// by one second, or else all of them by one second.
func (l *log) bySecond(most int) []times.Group {
	for n := tenSeconds; n <= oneSecond; n++ {
		groups := l.secondGroups(0, len(l.stamps), n, most)
		if len(groups) < 2 {
			continue
		}
		for i := range groups {
			g := &groups[i]
			if rows.IsDominant(g.Size(), len(l.stamps)) {
				groups = nil
				break
			}
			if n == tenSeconds && g.Size() > rows.MaxLines {
				if g.Groups = l.secondGroups(g.From, g.To, oneSecond, most); len(g.Groups) < 2 {
					g.Groups = nil
				}
			}
		}
		if groups != nil {
			return groups
		}
	}
	return nil
}

// secondGroups returns the runs of the records [from, to) with the same first n characters
// of the time of day. It returns nil if the records are of several days, are not in order,
// have no seconds, or make more than "most" runs.
func (l *log) secondGroups(from, to, n, most int) []times.Group {
	const day = len("2026-11-21")
	var groups []times.Group
	before := ""
	for i := from; i < to; i++ {
		at := int(l.start[i]) + int(l.clocks[i])
		if !isClock(l.b, at) || string(l.stamps[i][:day]) != string(l.stamps[from][:day]) {
			return nil
		}
		clock := l.b[at : at+oneSecond]
		if string(clock[:n]) != before {
			if string(clock[:n]) < before || len(groups) == most {
				return nil
			}
			before = string(clock[:n])
			groups = append(groups, times.Group{From: i, Name: before, Span: string(clock)})
		}
		groups[len(groups)-1].To = i + 1
	}
	for k := range groups {
		g := &groups[k]
		at := int(l.start[g.To-1]) + int(l.clocks[g.To-1])
		if last := string(l.b[at : at+oneSecond]); last != g.Span {
			g.Span += ".." + last[len("20:10:"):]
		}
	}
	return groups
}

// isClock reports whether b[at:] begins with hh:mm:ss.
func isClock(b []byte, at int) bool {
	if at+oneSecond > len(b) {
		return false
	}
	for i, want := range []byte("00:00:00") {
		if c := b[at+i]; want == '0' && c-'0' > 9 || want == ':' && c != ':' {
			return false
		}
	}
	return true
}
