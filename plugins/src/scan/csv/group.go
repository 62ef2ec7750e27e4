package csvscan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

const (
	maxGroups = 24 // groups in one list; as many records need none
	maxRuns   = maxGroups * maxGroups
	maxLevels = 3
	maxID     = 40 // bytes of a value that can name a group
	maxTitle  = 80
)

// preferred are columns that usually say what kind of thing a record is.
var preferred = []string{"type", "kind", "category", "status", "state", "level", "division"}

// mixed are columns that tell what the records of a group are.
var mixed = []string{"type", "kind", "category", "level", "severity", "status", "state", "response", "code"}

// group is a set of records that mean something together.
type group struct {
	subset
	title string
	inner []group
}

// subset are some records: all from one to another, or those listed.
type subset struct {
	from, to int32
	rows     []int32 // nil: all of [from, to)
	id       string
	used     *column // the column they were grouped by last
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

// split groups records by a column that usually says what they are, by one the
// file is sorted by, by one of few values, or by time. Runs: only groups without
// gaps will do.
func (t *table) split(s subset, runs bool, levels int) []group {
	if s.size() <= maxGroups || levels == 0 {
		return nil
	}
	groups := t.byValue(s, runs)
	if groups == nil {
		return t.byTime(s)
	}
	t.deepen(groups, runs, levels)
	return groups
}

// deepen splits groups that are too long.
func (t *table) deepen(groups []group, runs bool, levels int) {
	for i := range groups {
		if g := &groups[i]; g.inner == nil {
			g.inner = t.split(g.subset, runs || g.rows == nil, levels-1)
		}
	}
}

// candidate is a column that records could be grouped by.
type candidate struct {
	*column
	counts []int32 // by value; 0: those without; good until the next column is weighed
	groups int
	most   int32
	sorted bool // each value in one run of records
}

// byWish groups by the column that the config names, those without it in a group
// of their own. Nothing if that makes one group or far too many, or if its values
// are texts; times that are too many are grouped as times.
func (t *table) byWish(s subset, runs bool) []group {
	i := slices.IndexFunc(t.columns, func(c *column) bool { return c.name == t.wish })
	if t.wish == "" || i < 0 || s.size() <= maxGroups {
		return nil
	}
	c, groups := t.columns[i], []group(nil)
	if c.of != nil {
		if k := t.count(c, &s, 0); k.groups > 1 && k.groups <= maxRuns && (k.sorted || !runs) {
			groups = t.grouped(k, s)
		}
	}
	if groups == nil {
		groups = t.byTimes(c, s)
	}
	t.deepen(groups, runs, maxLevels)
	return groups
}

func (t *table) byValue(s subset, runs bool) []group {
	best, score := candidate{}, 0
	for _, c := range t.columns {
		if c == s.used || c.of == nil || c.kind == moment || c.kind == none {
			continue
		}
		k := t.weigh(c, &s)
		if k.groups < 2 || runs && !k.sorted {
			continue
		}
		if n := k.score(s.size()); n > score {
			best, score = k, n
		}
	}
	if score == 0 {
		return nil
	}
	return t.grouped(t.weigh(best.column, &s), s)
}

// grouped makes the groups of a column that has just been counted.
func (t *table) grouped(k candidate, s subset) []group {
	k.counts = slices.Clone(k.counts)
	if k.sorted {
		return t.runs(k, s)
	}
	return t.bags(k, s)
}

// weigh is count for a column of some use: its groups are few, even and not small.
func (t *table) weigh(c *column, s *subset) candidate {
	k, size := t.count(c, s, c.share()), s.size()
	most := maxGroups - 1 // one line is for the header
	if k.sorted {
		most = maxRuns
	}
	if k.groups > most || int(k.most)*5 > size*4 || k.groups > 0 && int(k.counts[0])*10 > size {
		return candidate{}
	}
	return k
}

// count counts the groups that a column makes; none if its values are texts. If
// "least" is not 0, none as soon as it is certain that they have less than that
// many records on average, or that they are too many and in no order.
func (t *table) count(c *column, s *subset, least int) candidate {
	k, last := candidate{column: c, counts: t.tally(c), sorted: true}, uint16(0)
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
		if k.groups++; k.groups*least > size || v > 0 && c.values.first[v-1].size() > maxID {
			return candidate{}
		}
		if least > 0 && !k.sorted && k.groups >= maxGroups {
			return candidate{}
		}
	}
	return k
}

// tally is a count for each value of a column and for none, all zero. It is good
// until the next one is asked for.
func (t *table) tally(c *column) []int32 {
	n := len(c.values.first) + 1
	if t.counts == nil {
		t.counts = make([]int32, manyValues+1)
	}
	clear(t.counts[:n])
	return t.counts[:n]
}

// share is how many records a group must have on average: few if the column is
// known to say what a record is, many if it holds numbers, which are seldom
// names.
func (c *column) share() int {
	switch {
	case slices.Contains(preferred, strings.ToLower(c.name)):
		return 2
	case c.kind == integer || c.kind == number:
		return 8
	}
	return 3
}

// score orders candidates: preferred names, then those the file is sorted by,
// the one with the most even groups first.
func (k *candidate) score(size int) int {
	n := 1000 - 1000*int(k.most)/size
	if i := slices.Index(preferred, strings.ToLower(k.name)); i >= 0 {
		return 3000 + 100*(len(preferred)-i)
	}
	if k.sorted && k.groups <= 2*maxGroups {
		n += 1000
	}
	return n
}

// runs makes a group of each run of records with the same value.
func (t *table) runs(k candidate, s subset) []group {
	groups := make([]group, 0, k.groups)
	for i := 0; i < s.size(); {
		v := k.of[s.row(i)]
		end := i + int(k.counts[v])
		g := subset{from: s.row(i), to: s.row(end-1) + 1}
		if s.rows != nil {
			g.rows = s.rows[i:end:end]
		}
		groups, i = append(groups, t.valued(k.column, v, s, g)), end
	}
	return groups
}

// bags makes a group of the records of each value, in the order in which the
// values first appear.
func (t *table) bags(k candidate, s subset) []group {
	memory, bags := make([]int32, s.size()), make([][]int32, len(k.counts))
	order := make([]uint16, 0, k.groups)
	for i := range s.size() {
		row := s.row(i)
		v := k.of[row]
		if bags[v] == nil {
			n := k.counts[v]
			bags[v], memory = memory[:0:n], memory[n:]
			order = append(order, v)
		}
		bags[v] = append(bags[v], row)
	}
	groups := make([]group, 0, k.groups)
	for _, v := range order {
		groups = append(groups, t.valued(k.column, v, s, subset{from: bags[v][0], to: bags[v][len(bags[v])-1] + 1, rows: bags[v]}))
	}
	return groups
}

// valued names the group of one value.
func (t *table) valued(c *column, v uint16, in, g subset) group {
	exact, name := "", "no "+c.name
	if v > 0 {
		x := c.values.first[v-1]
		exact = string(t.b[x.start:x.end])
		if name = caption.Of(t.b[x.start:x.end], maxTitle/2); name == "" {
			name = "blank " + c.name
		}
		if c.kind == integer || c.kind == number || c.kind == boolean {
			name = c.name + " " + name
		}
	}
	g.id, g.used = in.prefix()+c.name+"="+exact, c
	return group{subset: g, title: t.title(name+": ", &g)}
}

// prefix is what the ids of groups in s begin with.
func (s *subset) prefix() string {
	if s.id == "" {
		return ""
	}
	return s.id + ","
}

// title says how many records there are, and of which kinds.
func (t *table) title(start string, s *subset) string {
	start += caption.Count(s.size(), "record")
	if mix := t.mix(s); mix != "" {
		start += ": " + mix
	}
	return caption.Clip(start, maxTitle)
}

// mix counts records by the first column of mixed there is: "link 37, page 5".
func (t *table) mix(s *subset) string {
	for _, c := range t.mixed() {
		if c == s.used {
			continue
		}
		counts := t.tally(c)
		for i := range s.size() {
			counts[c.of[s.row(i)]]++
		}
		return t.most(c, counts) // "" if they are all of one kind
	}
	return ""
}

// mixed are the columns that are called so, in that order.
func (t *table) mixed() []*column {
	if t.mixes != nil {
		return t.mixes
	}
	t.mixes = make([]*column, 0, len(t.columns))
	for _, name := range mixed {
		for _, c := range t.columns {
			if c.of != nil && len(c.values.first) > 1 && strings.EqualFold(c.name, name) {
				t.mixes = append(t.mixes, c)
			}
		}
	}
	return t.mixes
}

// most names the four most frequent values, if there are several.
func (t *table) most(c *column, counts []int32) string {
	order := make([]int, 0, len(c.values.first))
	for i := range c.values.first {
		if counts[i+1] > 0 {
			order = append(order, i)
		}
	}
	if len(order) < 2 {
		return ""
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(counts[j+1] - counts[i+1]) })
	var said []string
	for _, i := range order[:min(4, len(order))] {
		x := c.values.first[i]
		said = append(said, caption.Of(t.b[x.start:x.end], maxID/2)+" "+strconv.Itoa(int(counts[i+1])))
	}
	return strings.Join(said, ", ")
}

// byTime groups records by a time that never goes back, or never forth.
func (t *table) byTime(s subset) []group {
	for _, c := range t.columns {
		if groups := t.byTimes(c, s); groups != nil {
			return groups
		}
	}
	return nil
}

// byTimes is byTime for one column.
func (t *table) byTimes(c *column, s subset) []group {
	if c.at == nil {
		return nil
	}
	stamps := times.Of(s.size(), func(i int) (times.Stamp, bool) {
		x := c.at[s.row(i)]
		return times.Parse(t.b[x.start:x.end])
	})
	if stamps == nil {
		return nil
	}
	groups := times.Groups(stamps, maxGroups-1)
	if groups == nil {
		return nil
	}
	return t.timed(groups, s)
}

func (t *table) timed(groups []times.Group, s subset) []group {
	out := make([]group, len(groups))
	for i, g := range groups {
		in := subset{from: s.row(g.From), to: s.row(g.To-1) + 1, id: s.prefix() + g.Name}
		if s.rows != nil {
			in.rows = s.rows[g.From:g.To:g.To]
		}
		out[i] = group{subset: in, title: t.title(g.Span+", ", &in), inner: t.timed(g.Groups, s)}
	}
	return out
}
