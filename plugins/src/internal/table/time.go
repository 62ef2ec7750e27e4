package table

import "slices"

// levels are the lengths of a stamp at which groups are made: year, month, day,
// hour, minute.
var levels = [...]int{4, 7, 10, 13, 16}

// maxInner bounds the groups of a finer level inside a group: the minutes of an
// hour, the days of a month.
const maxInner = 60

// timeNames are fields whose numbers are seconds or milliseconds of an epoch.
var timeNames = []string{"ts", "time", "timestamp", "date", "created", "created_at", "createdAt", "updated", "@timestamp", "timeMs"}

// byTime groups rows by a time that never goes back, or never forth: by the
// coarsest of levels that makes enough groups.
func (t *Table) byTime(s subset) *Grouping {
	for _, c := range t.columns {
		if s.only != "" && c.name != s.only {
			continue
		}
		stamps := t.stamps(c, s.rows)
		if stamps == nil {
			continue
		}
		for _, n := range levels {
			parts := t.timeParts(s.rows, stamps, s.id, n, t.maxRows)
			if !t.fits(parts, nil, len(s.rows)) {
				continue
			}
			t.deepenTime(parts, stamps, s.id, n)
			return &Grouping{By: c.name, Parts: parts}
		}
	}
	return nil
}

// deepenTime groups long parts by finer levels of the same time. The parts are
// runs of the stamps.
func (t *Table) deepenTime(parts []Part, stamps []stamp, id string, level int) {
	for i := range parts {
		p := &parts[i]
		own := stamps[:len(p.Rows)]
		stamps = stamps[len(p.Rows):]
		if len(p.Rows) <= t.maxRows {
			continue
		}
		for _, n := range levels {
			if n <= level {
				continue
			}
			if finer := t.timeParts(p.Rows, own, id, n, maxInner); len(finer) > 1 && 2*len(finer) <= len(p.Rows) {
				t.deepenTime(finer, own, id, n)
				p.Parts, p.Rows = finer, nil
				break
			}
		}
	}
}

// stamps are the times in a column, one for each row; nil if more than one in
// ten has none. Those take the time of the row before, as lines of a log do that
// have lost theirs.
func (t *Table) stamps(c *column, rows []int32) (out []stamp) {
	missing := 0
	for i, r := range rows {
		s, ok := t.stamp(c, c.cells[r])
		if !ok {
			if missing++; missing*10 > len(rows) {
				return nil
			}
			if i > 0 && out != nil {
				out[i] = out[i-1]
			}
			continue
		}
		if out == nil {
			out = make([]stamp, len(rows))
			for j := range i {
				out[j] = s
			}
		}
		out[i] = s
	}
	return out
}

func (t *Table) stamp(c *column, x cell) (stamp, bool) {
	switch {
	case t.isText(x) && x.size() < maxID:
		return parseTime(t.b[x.start+1 : x.end-1])
	case t.isNumber(x) && slices.Contains(timeNames, c.name):
		return parseEpoch(t.text(x))
	}
	return stamp{}, false
}

// isTime reports whether the first cell of a column that is there is a time.
func (t *Table) isTime(c *column) bool {
	for _, x := range c.cells {
		if !x.missing() {
			_, ok := t.stamp(c, x)
			return ok
		}
	}
	return false
}

// timeParts cuts the rows where the first n characters of the time change; nil
// if that makes more than most parts, if the stamps are shorter, or if the times
// run both ways. Ids begin with id.
func (t *Table) timeParts(rows []int32, stamps []stamp, id string, n, most int) []Part {
	up, down := false, false
	borders := []int{0}
	for i := 1; i < len(stamps); i++ {
		this, next := &stamps[i-1], &stamps[i]
		if string(this[:n]) == string(next[:n]) {
			continue
		}
		if this.before(*next, n) {
			up = true
		} else {
			down = true
		}
		if up && down || len(borders) == most {
			return nil
		}
		borders = append(borders, i)
	}
	if stamps[0].size() < n {
		return nil
	}
	borders = append(borders, len(rows))
	parts := make([]Part, 0, len(borders)-1)
	for i, from := range borders[:len(borders)-1] {
		to := borders[i+1]
		members := rows[from:to:to]
		title := between(stamps[from], stamps[to-1]) + ", " + Count(len(members), t.kindWord())
		parts = append(parts, Part{ID: id + string(stamps[from][:n]), Title: withMix(title, t.mix(members, "")), Rows: members})
	}
	return parts
}

// between says two times, of the second only what differs from the first.
func between(a, b stamp) string {
	switch {
	case a == b:
		return a.String()
	case a.size() == 16 && b.size() == 16 && string(a[:10]) == string(b[:10]):
		return a.String() + ".." + string(b[11:])
	}
	return a.String() + ".." + b.String()
}

// timeRange is the first and last time of a column that holds times.
func (t *Table) timeRange(c *column) (from, to string, ok bool) {
	var low, high stamp
	for _, x := range c.cells {
		if !t.isText(x) {
			continue
		}
		s, isTime := t.stamp(c, x)
		if !isTime {
			return "", "", false
		}
		if !ok || s.before(low, 16) {
			low = s
		}
		if !ok || high.before(s, 16) {
			high = s
		}
		ok = true
	}
	return low.String(), high.String(), ok
}
