package csv

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// maxGroups is the number of groups in one list: one line is for the header.
const maxGroups = rows.MaxLines - 1

// subset is a set of records: those from one to another, or those listed.
type subset struct {
	from, to int32
	rows     []int32 // nil: all of [from, to)
	id       string
	by       *column // the column that they were grouped by
}

func (s *subset) size() int {
	if s.rows == nil {
		return int(s.to - s.from)
	}
	return len(s.rows)
}

func (s *subset) row(i int) int32 {
	if s.rows == nil {
		return s.from + int32(i)
	}
	return s.rows[i]
}

// slice returns the records [from, to) of s as a subset without id.
func (s *subset) slice(from, to int) subset {
	in := subset{from: s.row(from), to: s.row(to-1) + 1}
	if s.rows != nil {
		in.rows = s.rows[from:to:to]
	}
	return in
}

// idPrefix returns the start of the ids of groups in s.
func (s *subset) idPrefix() string {
	if s.id == "" {
		return ""
	}
	return s.id + ","
}

// grouper groups the records of a table.
type grouper struct {
	*table
	counts []int32   // memory for the counts of one column
	mixed  []*column // see mixColumns
}

// candidate is a column that records could be grouped by.
type candidate struct {
	*column
	counts []int32 // by value; 0: records without one; valid until the next column is counted
	groups int
	most   int32 // records of the largest group
	sorted bool  // the records of each value are in one run
}

// group groups the records of s by a column of few values, which usually classifies
// records or by which they are sorted, or by time. If runs is set, only groups without
// gaps are made.
func (g *grouper) group(s subset, runs bool, levels int) []rows.Group {
	if s.size() <= rows.MaxLines || levels == 0 {
		return nil
	}
	best, score := candidate{}, 0
	for _, c := range g.columns {
		if c == s.by || c.of == nil || c.kind == timestamp || c.kind == none {
			continue
		}
		k := g.evaluate(c, &s)
		if k.groups < 2 || runs && !k.sorted {
			continue
		}
		if n := k.score(s.size()); n > score {
			best, score = k, n
		}
	}
	if score > 0 {
		return g.make(g.evaluate(best.column, &s), s, runs, levels)
	}
	for _, c := range g.columns {
		if groups := g.byTime(c, s); groups != nil {
			return groups
		}
	}
	return nil
}

// byGiven groups by the column that the config names; records without a value are a
// group of their own. It returns nil if that makes one group or far too many, or if the
// values are long texts. Times with too many values are grouped as times.
func (g *grouper) byGiven(s subset, runs bool) []rows.Group {
	i := slices.IndexFunc(g.columns, func(c *column) bool { return c.name == g.groupBy })
	if g.groupBy == "" || i < 0 || s.size() <= rows.MaxLines {
		return nil
	}
	c := g.columns[i]
	if c.of != nil {
		if k := g.count(c, &s, 0); k.groups > 1 && k.groups <= rows.MaxNested && (k.sorted || !runs) {
			return g.make(k, s, runs, rows.MaxLevels)
		}
	}
	groups := g.byTime(c, s)
	for i := range groups {
		if p := &groups[i]; p.Inner == nil {
			in := subset{from: p.From, to: p.To, rows: p.Rows, id: p.ID}
			p.Inner = g.group(in, runs || p.Rows == nil, rows.MaxLevels-1)
		}
	}
	return groups
}

// evaluate is count for groups that are useful: they are few, even and not small.
func (g *grouper) evaluate(c *column, s *subset) candidate {
	k, size := g.count(c, s, rows.MinShare(strings.ToLower(c.name), c.kind == integer || c.kind == decimal)), s.size()
	most := maxGroups
	if k.sorted {
		most = rows.MaxNested
	}
	if k.groups > most || rows.IsDominant(int(k.most), size) || k.groups > 0 && int(k.counts[0])*10 > size {
		return candidate{}
	}
	return k
}

// count counts the groups that a column makes; none if its values are long texts. If
// minShare is not 0, it returns none as soon as it is certain that they have fewer
// records on average, or that they are too many and not sorted.
func (g *grouper) count(c *column, s *subset, minShare int) candidate {
	k, last := candidate{column: c, counts: g.clearCounts(c), sorted: true}, uint16(0)
	size := s.size()
	for i := range size {
		v := c.of[s.row(i)]
		n := k.counts[v] + 1
		if k.counts[v] = n; n > k.most {
			k.most = n
		}
		if n > 1 {
			k.sorted = k.sorted && v == last
			last = v
			continue
		}
		last = v
		if k.groups++; k.groups*minShare > size || v > 0 && c.values.first[v-1].Size() > rows.MaxID {
			return candidate{}
		}
		if minShare > 0 && !k.sorted && k.groups >= rows.MaxLines {
			return candidate{}
		}
	}
	return k
}

// clearCounts returns a zero for records without a value and one for each value of a
// column. They are valid until the next call.
func (g *grouper) clearCounts(c *column) []int32 {
	n := len(c.values.first) + 1
	if g.counts == nil {
		g.counts = make([]int32, maxValues+1)
	}
	clear(g.counts[:n])
	return g.counts[:n]
}

// score orders candidates: columns of usual names come first, then those by which the
// records are sorted, each by how even the groups are.
func (k *candidate) score(size int) int {
	n := 1000 - 1000*int(k.most)/size
	if i := slices.Index(rows.KindFields, strings.ToLower(k.name)); i >= 0 {
		return 3000 + 100*(len(rows.KindFields)-i)
	}
	if k.sorted && k.groups <= 2*rows.MaxLines {
		n += 1000
	}
	return n
}

// make makes the groups of a candidate that was just counted, and groups in those that
// are long.
func (g *grouper) make(k candidate, s subset, runs bool, levels int) []rows.Group {
	counts := slices.Clone(k.counts)
	groups := make([]rows.Group, 0, k.groups)
	add := func(v uint16, in subset) {
		name, id := g.nameValue(k.column, v)
		in.id, in.by = s.idPrefix()+id, k.column
		groups = append(groups, g.groupOf(name+": ", in, g.group(in, runs || in.rows == nil, levels-1)))
	}
	if k.sorted {
		for i := 0; i < s.size(); {
			v := k.of[s.row(i)]
			end := i + int(counts[v])
			add(v, s.slice(i, end))
			i = end
		}
		return groups
	}
	order, members := make([]uint16, 0, k.groups), rows.Partition(make([]int32, s.size()), counts)
	for i := range s.size() {
		row := s.row(i)
		v := k.of[row]
		if len(members[v]) == 0 {
			order = append(order, v)
		}
		members[v] = append(members[v], row)
	}
	for _, v := range order {
		listed := members[v]
		add(v, subset{from: listed[0], to: listed[len(listed)-1] + 1, rows: listed})
	}
	return groups
}

// groupOf returns the group of a subset. Its title is start, the number of records and
// their mix.
func (g *grouper) groupOf(start string, s subset, inner []rows.Group) rows.Group {
	return rows.Group{
		ID: s.id, Title: rows.Title(start+caption.Count(s.size(), "record"), g.mix(&s)),
		From: s.from, To: s.to, Rows: s.rows, Inner: inner,
	}
}

// nameValue returns the name of the group of a value for titles, and its id.
func (g *grouper) nameValue(c *column, v uint16) (name, id string) {
	if v == 0 {
		return "no " + c.title(), c.name + "="
	}
	x := c.values.first[v-1]
	exact := g.b[x.Start:x.End]
	if name = caption.Of(exact, rows.MaxTitle/2); name == "" {
		name = "blank " + c.title()
	}
	if c.kind == integer || c.kind == decimal || c.kind == boolean {
		name = c.title() + " " + name
	}
	return name, c.name + "=" + string(exact)
}

// mix counts records by the first of the mix columns: "link 37, page 5". It returns
// nothing if all of them have the same value.
func (g *grouper) mix(s *subset) string {
	for _, c := range g.mixColumns() {
		if c == s.by {
			continue
		}
		counts, distinct := g.clearCounts(c), 0
		for i := range s.size() {
			v := c.of[s.row(i)]
			if counts[v]++; counts[v] == 1 && v > 0 {
				distinct++
			}
		}
		if distinct < 2 {
			return ""
		}
		return g.joinTop(c, counts[1:])
	}
	return ""
}

// joinTop returns the most frequent values of a column with their counts.
func (g *grouper) joinTop(c *column, counts []int32) string {
	var out []string
	top, n := rows.Top(counts)
	for _, i := range top[:n] {
		x := c.values.first[i]
		out = append(out, caption.Of(g.b[x.Start:x.End], rows.MaxID/2)+" "+strconv.Itoa(int(counts[i])))
	}
	return strings.Join(out, ", ")
}

// mixColumns returns the columns named by rows.MixFields, in that order.
func (g *grouper) mixColumns() []*column {
	if g.mixed != nil {
		return g.mixed
	}
	g.mixed = make([]*column, 0, len(g.columns))
	for _, name := range rows.MixFields {
		for _, c := range g.columns {
			if c.of != nil && len(c.values.first) > 1 && strings.EqualFold(c.name, name) {
				g.mixed = append(g.mixed, c)
			}
		}
	}
	return g.mixed
}

// byTime groups records by a column of times that never decrease, or never increase.
func (g *grouper) byTime(c *column, s subset) []rows.Group {
	if c.times == nil {
		return nil
	}
	stamps := times.Of(s.size(), func(i int) (times.Stamp, bool) {
		x := c.times[s.row(i)]
		return times.Parse(g.b[x.Start:x.End])
	})
	if stamps == nil {
		return nil
	}
	return g.timeGroups(times.Groups(stamps, maxGroups), s)
}

// timeGroups makes the groups of periods.
func (g *grouper) timeGroups(periods []times.Group, s subset) []rows.Group {
	if periods == nil {
		return nil
	}
	out := make([]rows.Group, len(periods))
	for i, p := range periods {
		in := s.slice(p.From, p.To)
		in.id = s.idPrefix() + p.Name
		out[i] = g.groupOf(p.Span+", ", in, g.timeGroups(p.Groups, s))
	}
	return out
}
