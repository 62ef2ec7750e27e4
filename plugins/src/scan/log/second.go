package logscan

import "github.com/mcpctl/mcpctl/plugins/src/internal/times"

// lengths of a time of day, 20:10:48, at which groups of seconds are made: tens of
// them, single ones.
const (
	tens    = len("20:10:4")
	seconds = len("20:10:48")
)

// bySecond groups the records of a log that lies within so few minutes that those
// tell nothing, by ten seconds and these by one.
func (l *log) bySecond(most int) []times.Group {
	for n := tens; n <= seconds; n++ {
		groups := l.seconds(0, len(l.stamps), n, most)
		if len(groups) < 2 {
			continue
		}
		for i := range groups {
			g := &groups[i]
			if g.Size()*5 > len(l.stamps)*4 {
				groups = nil
				break
			}
			if n == tens && g.Size() > maxGroups {
				if g.Groups = l.seconds(g.From, g.To, seconds, most); len(g.Groups) < 2 {
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

// seconds are the records [from, to) in runs whose times of day begin alike; nil
// if they are of several days, go back, are not written to the second, or make
// more runs than most.
func (l *log) seconds(from, to, n, most int) []times.Group {
	const day = len("2026-11-21")
	var groups []times.Group
	before := ""
	for i := from; i < to; i++ {
		at := int(l.start[i]) + int(l.clocks[i])
		if !isClock(l.b, at) || string(l.stamps[i][:day]) != string(l.stamps[from][:day]) {
			return nil
		}
		clock := l.b[at : at+seconds]
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
		if last := string(l.b[at : at+seconds]); last != g.Span {
			g.Span += ".." + last[len("20:10:"):]
		}
	}
	return groups
}

// isClock reports whether hh:mm:ss stands at b[at].
func isClock(b []byte, at int) bool {
	if at+seconds > len(b) {
		return false
	}
	for i, want := range []byte("00:00:00") {
		if c := b[at+i]; want == '0' && c-'0' > 9 || want == ':' && c != ':' {
			return false
		}
	}
	return true
}
