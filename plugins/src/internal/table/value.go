package table

import "slices"

// preferred are fields that usually say what kind of thing a row is.
var preferred = []string{"type", "kind", "category", "status", "state", "level", "division"}

// byValue groups rows by a scalar field of few values that nine in ten rows
// have: one of preferred, else the one with the most even groups.
func (t *Table) byValue(s subset) *Grouping {
	for _, c := range t.valueColumns(s) {
		few := c.groups > 1 && c.groups <= t.maxRows && c.most*5 <= len(s.rows)*4 // as fits asks
		if few || s.only != "" && c.groups > 1 && c.groups <= t.maxRows*t.maxRows {
			return &Grouping{By: c.name, Parts: t.valueParts(c, s)}
		}
	}
	return nil
}

// valueColumns are the candidates in the order they are tried.
func (t *Table) valueColumns(s subset) []*column {
	var out, even []*column
	for _, c := range t.columns {
		c.groups, c.most = 0, 0
		if slices.Contains(s.used, c.name) || s.only != "" && c.name != s.only || s.only == "" && (isOwnID(c.name) || t.isTime(c)) {
			continue
		}
		if s.only == "" && t.seldom(c, s) {
			continue
		}
		if t.measure(c, s); c.most > 0 {
			even = append(even, c)
		}
	}
	slices.SortStableFunc(even, func(a, b *column) int { return a.most - b.most })
	for _, c := range t.usual {
		if c.most > 0 {
			out = append(out, c)
		}
	}
	return append(out, even...)
}

// seldom reports whether more than one in ten rows of a subset surely lack c.
func (t *Table) seldom(c *column, s subset) bool {
	all := len(t.rows)
	return len(s.rows) == all && (all-c.filled)*10 > all
}

// measure counts the groups that c would make of a subset, and the rows of the
// largest, unless it is no candidate: then it ends as soon as that is certain.
func (t *Table) measure(c *column, s subset) {
	v := t.valuesOf(c, s.only != "")
	if v.many || s.only == "" && len(s.rows) == len(t.rows) && len(v.first) > t.maxRows {
		return
	}
	counts, most, groups, all := t.memory.counts(len(v.first)+1), int32(0), 0, len(s.rows)
	for _, r := range s.rows {
		n := v.of[r] + 1 // 0 for rows without a value
		k := counts[n] + 1
		counts[n], most = k, max(most, k)
		if k > 1 {
			continue
		}
		if n > 0 && v.first[n-1].size() > maxID {
			return // a text, not a category
		}
		if groups++; s.only == "" && groups*v.least > all {
			return
		}
	}
	if s.only != "" || int(counts[0])*10 <= all {
		c.groups, c.most = groups, int(most)
	}
}

// leastShare is how many rows a group must have on average: few if the field is
// known to say what a row is, many if it holds numbers, which are seldom names.
func (t *Table) leastShare(c *column, v *values) int {
	switch {
	case slices.Contains(preferred, c.name):
		return 2
	case len(v.first) > 0 && t.isNumber(v.first[0]):
		return 8
	}
	return 3
}

// valueParts are the groups in the order their values first appear; rows
// without a value come last.
func (t *Table) valueParts(c *column, s subset) []Part {
	v := t.valuesOf(c, s.only != "")
	scratch := append(t.memory.ints.take(len(s.rows))[:0], s.rows...)
	rows := pieces(s.rows, t.tally(v, scratch))
	for _, r := range scratch {
		n := int(v.of[r])
		if n < 0 {
			n = len(v.first)
		}
		rows[n] = append(rows[n], r)
	}
	t.memory.ints.give(scratch)
	used := slices.Concat(s.used, []string{c.name})
	parts := make([]Part, 0, c.groups)
	for i, members := range rows {
		if len(members) == 0 {
			continue
		}
		value, name := "", "no "+c.name
		if i < len(v.first) {
			value = t.exact(v.first[i])
			if name = t.say(v.first[i], maxTitle/2); name == "" {
				name = "empty " + c.name
			}
		}
		parts = append(parts, Part{
			id:    s.id + c.name + "=" + value,
			title: t.groupTitle(name, members, used, t.rowLead()),
			rows:  members,
		})
	}
	return parts
}

// pieces are empty slices with room for these many rows each, one after another
// in memory: slices that grow would leave their smaller selves behind.
func pieces(memory, counts []int32) [][]int32 {
	out := make([][]int32, len(counts))
	for i, n := range counts {
		out[i], memory = memory[:0:n], memory[n:]
	}
	return out
}
