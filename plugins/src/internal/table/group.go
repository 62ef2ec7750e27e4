package table

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// Part is a group of rows that mean something together. Its rows are its own
// and those of its parts, each row once.
type Part struct {
	ID    string // without the @ of groups, not escaped
	Title string
	Rows  []int32
	Parts []Part
	Led   bool // the first row is what the others refer to
}

// Size is the number of rows in p and all its parts.
func (p *Part) Size() int {
	n := len(p.Rows)
	for i := range p.Parts {
		n += p.Parts[i].Size()
	}
	return n
}

// all appends the rows of p and its parts to rows.
func (p *Part) all(rows []int32) []int32 {
	rows = append(rows, p.Rows...)
	for i := range p.Parts {
		rows = p.Parts[i].all(rows)
	}
	return rows
}

// Grouping is how the rows of a table fall into parts.
type Grouping struct {
	By    string // what a reader is told: a field, "key prefix", ...
	Parts []Part
	Rest  []int32 // rows in no part

	refers bool   // By is a field that refers to other rows
	noun   string // what it refers to
}

// Values of the config key groupBy that are no field.
const (
	Auto = "auto"
	None = "none"
)

// maxLevels bounds groups in groups.
const maxLevels = 3

// Group finds the first rule that leaves 2 to maxLines parts, none with more
// than four fifths of the rows: a field that refers to other rows, then, for
// records that are a log, time, a field of few values, the prefix of keys,
// time. With by, that field and no other is used. Nil: no rule applies, or the
// rows are few enough as they are.
func (t *Table) Group(by string, log bool) *Grouping {
	if by == None || len(t.rows) <= t.maxRows {
		return nil
	}
	s := subset{only: by}
	if by == Auto {
		s.only = ""
	}
	if g := t.byReference(s.only); g != nil {
		t.deepen(g.Parts, []string{g.By}, maxLevels-1)
		return g
	}
	s.rows = t.memory.ints.take(len(t.rows))
	for i := range s.rows {
		s.rows[i] = int32(i)
	}
	return t.split(s, log, maxLevels)
}

// subset is a part of the rows that is still too long.
type subset struct {
	rows []int32  // its own: the groups may be made in it
	only string   // the one field to be used
	used []string // the fields by which the groups round it were made
	id   string   // of the group they are in, with a comma
}

// split groups a subset by everything but references.
func (t *Table) split(s subset, log bool, levels int) *Grouping {
	rules := []func(*Table, subset) *Grouping{(*Table).byValue, (*Table).byPrefix, (*Table).byTime}
	if log {
		rules = []func(*Table, subset) *Grouping{(*Table).byTime, (*Table).byValue, (*Table).byPrefix}
	}
	for _, rule := range rules {
		if g := rule(t, s); g != nil {
			t.deepen(g.Parts, slices.Concat(s.used, []string{g.By}), levels-1)
			return g
		}
	}
	return nil
}

// deepen groups what is too long inside parts.
func (t *Table) deepen(parts []Part, used []string, levels int) {
	if levels == 0 {
		return
	}
	for i := range parts {
		p := &parts[i]
		t.deepen(p.Parts, used, levels-1)
		if len(p.Rows) <= t.maxRows || len(p.Parts) > 0 {
			continue
		}
		own := 0
		if p.Led {
			own = 1
		}
		if g := t.split(subset{rows: p.Rows[own:], used: used, id: p.ID + ","}, false, levels); g != nil {
			p.Parts, p.Rows = g.Parts, append(p.Rows[:own:own], g.Rest...)
		}
	}
}

// fits is the test every rule has to pass.
func (t *Table) fits(parts []Part, rest []int32, total int) bool {
	lines := len(parts) + len(rest)
	if len(parts) == 0 || lines < 2 || lines > t.maxRows {
		return false
	}
	for i := range parts {
		if parts[i].Size()*5 > total*4 {
			return false
		}
	}
	return true
}

// mixFields tell what the rows of a group are.
var mixFields = []string{"type", "kind", "category", "level", "severity", "status", "state", "response", "code"}

// mix counts the rows by the first of mixFields there is, the most frequent
// four first: "link out 37, switch 5". Not by a field that was used: the groups
// round them say that. It also says how many rows have the most frequent one.
func (t *Table) mix(rows []int32, used ...string) (said string, most int) {
	for _, c := range t.mixes {
		if slices.Contains(used, c.name) {
			continue
		}
		v := t.valuesOf(c, false)
		if v.many || len(v.first) < 2 {
			continue
		}
		if counts := t.tally(v, rows); t.repeats(counts, v) {
			return t.top(counts, v), int(slices.Max(counts))
		}
	}
	return "", 0
}

// fewValues are as many as top names.
const fewValues = 4

// repeats reports whether a count of values says more than that they differ: a
// reading is hardly ever the same twice, and of many names four do not tell what
// the others are.
func (t *Table) repeats(counts []int32, v *values) bool {
	distinct, counted, numbers := 0, 0, false
	for i, c := range v.first {
		if counts[i] > 0 {
			distinct++
			counted += int(counts[i])
			numbers = numbers || t.isNumber(c)
		}
	}
	if numbers {
		return distinct < counted && (distinct <= fewValues || 2*distinct <= counted)
	}
	return distinct < counted || distinct <= 4*fewValues
}

// tally counts the values of a column over some rows; the last count is that
// of rows without one. It is good until the next one is made.
func (t *Table) tally(v *values, rows []int32) []int32 {
	counts := t.memory.counts(len(v.first) + 2)
	for _, r := range rows {
		counts[v.of[r]+1]++
	}
	counts[len(counts)-1] = counts[0]
	return counts[1:]
}

func (t *Table) top(counts []int32, v *values) string {
	var most [fewValues]int // values by their counts, of equal ones the first that appeared first
	n := 0
	for i := range v.first {
		if counts[i] == 0 || n == len(most) && counts[i] <= counts[most[n-1]] {
			continue
		}
		at := min(n, len(most)-1)
		for ; at > 0 && counts[i] > counts[most[at-1]]; at-- {
			most[at] = most[at-1]
		}
		most[at] = i
		n = min(n+1, len(most))
	}
	var said []byte
	for k, i := range most[:n] {
		if k > 0 {
			said = append(said, ", "...)
		}
		said = append(t.appendCell(said, v.first[i], maxID/2), ' ')
		said = strconv.AppendInt(said, int64(counts[i]), 10)
	}
	return string(said)
}

// withMix is a title that ends in a mix, if there is one.
func withMix(title, mix string) string {
	if mix != "" {
		title += ": " + mix
	}
	return caption.Clip(title, maxTitle)
}
