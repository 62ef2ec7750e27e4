package times

// levels are the lengths of a stamp at which groups are made: year, month, day,
// hour, minute.
var levels = [...]int{4, 7, 10, 13, 16}

// maxInner bounds the groups of a finer level inside a group: the minutes of an
// hour, the days of a month.
const maxInner = 60

// Group is a run of records of one year, month, day, hour or minute.
type Group struct {
	From, To int     // records [From, To)
	Name     string  // what the times begin with: 2026-11-21T08
	Span     string  // the first and the last time: 2026-11-21T08:00..08:59
	Groups   []Group // finer ones, which hold all of its records; nil if they are few
}

// Size is the number of records.
func (g Group) Size() int { return g.To - g.From }

// Groups groups records whose times never go back, or never forth, by the
// coarsest level that makes 2 to "most" groups, none of which holds more than
// four fifths of them; groups of more than "most" records by finer levels. Nil:
// there is no such level.
func Groups(stamps []Stamp, most int) []Group {
	for _, n := range levels {
		groups := runs(stamps, 0, len(stamps), n, most)
		if len(groups) < 2 || !even(groups, len(stamps)) {
			continue
		}
		deepen(groups, stamps, n, most)
		return groups
	}
	return nil
}

// even reports whether no group holds more than four fifths.
func even(groups []Group, all int) bool {
	for _, g := range groups {
		if g.Size()*5 > all*4 {
			return false
		}
	}
	return true
}

// deepen groups long groups by finer levels of the same time.
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
			if finer := runs(stamps, g.From, g.To, n, maxInner); len(finer) > 1 && 2*len(finer) <= g.Size() {
				deepen(finer, stamps, n, most)
				g.Groups = finer
				break
			}
		}
	}
}

// runs cuts records where the first n characters of the time change; nil if that
// makes more than most runs, if the stamps are shorter, or if the times run both
// ways.
func runs(stamps []Stamp, from, to, n, most int) []Group {
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
		groups = append(groups, Group{From: from, To: end, Name: string(stamps[from][:n]), Span: between(stamps[from], stamps[end-1])})
	}
	return groups
}

// between says two times, of the second only what differs from the first.
func between(a, b Stamp) string {
	switch {
	case a == b:
		return a.String()
	case a.size() == 16 && b.size() == 16 && string(a[:10]) == string(b[:10]):
		return a.String() + ".." + string(b[11:])
	}
	return a.String() + ".." + b.String()
}

// Of are the times of n records; nil if more than one in ten has none. Those take
// the time of the record before, as lines of a log do that have lost theirs.
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
