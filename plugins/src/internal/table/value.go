package table

import "slices"

// preferred are fields that usually say what kind of thing a row is.
var preferred = []string{"type", "kind", "category", "status", "state", "level", "division"}

// byValue groups rows by a scalar field of few values that nine in ten rows
// have: one of preferred, else the one with the most even groups.
func (t *Table) byValue(s subset) *Grouping {
	for _, c := range t.valueColumns(s) {
		parts := t.valueParts(c, s)
		if s.only != "" && len(parts) > 1 && len(parts) <= t.maxRows*t.maxRows || t.fits(parts, nil, len(s.rows)) {
			return &Grouping{By: c.name, Parts: parts}
		}
	}
	return nil
}

// valueColumns are the candidates in the order they are tried.
func (t *Table) valueColumns(s subset) []*column {
	var out, even []*column
	share := make(map[*column]int)
	for _, c := range t.columns {
		if c.name == s.used || s.only != "" && c.name != s.only || isOwnID(c.name) && s.only == "" {
			continue
		}
		if s.only == "" && t.isTime(c) {
			continue
		}
		if n := t.largestShare(c, s); n > 0 {
			even = append(even, c)
			share[c] = n
		}
	}
	slices.SortStableFunc(even, func(a, b *column) int { return share[a] - share[b] })
	for _, name := range preferred {
		if c := t.column(name); share[c] > 0 {
			out = append(out, c)
		}
	}
	return append(out, even...)
}

// largestShare is the size of the largest group that c would make, 0 if c is
// no candidate.
func (t *Table) largestShare(c *column, s subset) int {
	v := t.valuesOf(c, s.only != "")
	if v.many || s.only == "" && len(s.rows) == len(t.rows) && len(v.first) > t.maxRows {
		return 0
	}
	counts := tally(v, s.rows)
	groups, most := 0, 0
	for i, n := range counts {
		if n == 0 {
			continue
		}
		if i < len(v.first) && v.first[i].size() > maxID {
			return 0 // a text, not a category
		}
		groups++
		most = max(most, int(n))
	}
	missing := int(counts[len(v.first)])
	if s.only == "" && (missing*10 > len(s.rows) || groups*t.leastShare(c, v) > len(s.rows)) {
		return 0
	}
	return most
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
	counts := tally(v, s.rows)
	rows := pieces(counts)
	for _, r := range s.rows {
		n := int(v.of[r])
		if n < 0 {
			n = len(v.first)
		}
		rows[n] = append(rows[n], r)
	}
	var parts []Part
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
			ID:    s.id + c.name + "=" + value,
			Title: t.groupTitle(name, members, c.name),
			Rows:  members,
		})
	}
	return parts
}

// pieces are empty slices with room for these many rows each, in one piece of
// memory: slices that grow would leave their smaller selves behind.
func pieces(counts []int32) [][]int32 {
	all := 0
	for _, n := range counts {
		all += int(n)
	}
	memory, out := make([]int32, all), make([][]int32, len(counts))
	for i, n := range counts {
		out[i], memory = memory[:0:n], memory[n:]
	}
	return out
}
