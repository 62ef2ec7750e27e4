package table

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// Part is a group of rows that mean something together. Its rows are its own
// and those of its parts, each row once: see Grouping.Walk.
type Part struct {
	id    string // see Grouping.AppendID
	title string
	rows  []int32
	parts []Part
	head  int32 // 1 + the row that leads it, if one does: then a forest knows all that is above
}

// Grouping is how the rows of a table fall into parts.
type Grouping struct {
	By    string // what a reader is told: a field, "key prefix", ...
	Parts []Part
	Rest  []int32 // rows in no part

	refers bool   // By is a field that refers to other rows
	noun   string // what it refers to
	forest *forest
}

// Visit is shown a part, the rows that are in none of its parts, and in how many parts it
// is itself. Both are good until it returns.
type Visit func(p *Part, rows []int32, level int) error

// Walk visits all parts, each before those in it. It ends at the first error.
func (g *Grouping) Walk(visit Visit) error { return g.walk(g.Parts, 0, visit) }

func (g *Grouping) walk(parts []Part, level int, visit Visit) error {
	for i := range parts {
		p := &parts[i]
		if p.head > 0 {
			if err := g.forest.walk(p.head-1, level, visit); err != nil {
				return err
			}
			continue
		}
		if err := visit(p, p.rows, level); err != nil {
			return err
		}
		if err := g.walk(p.parts, level+1, visit); err != nil {
			return err
		}
	}
	return nil
}

// Len is the number of all parts.
func (g *Grouping) Len() (n int) {
	_ = g.Walk(func(*Part, []int32, int) error { n++; return nil })
	return n
}

// size is the number of rows in a part and all its parts.
func (g *Grouping) size(p *Part) int {
	if p.head > 0 {
		return g.forest.size(p.head - 1)
	}
	n := len(p.rows)
	for i := range p.parts {
		n += g.size(&p.parts[i])
	}
	return n
}

// AppendID appends the id of a part, without the @ of groups, not escaped.
func (g *Grouping) AppendID(dst []byte, p *Part) []byte {
	if p.head > 0 {
		return g.forest.appendID(dst, p.head-1)
	}
	return append(dst, p.id...)
}

// AppendTitle appends the title of a part, one line of up to 80 bytes.
func (g *Grouping) AppendTitle(dst []byte, p *Part) []byte {
	if p.head > 0 {
		return g.forest.appendTitle(dst, p.head-1)
	}
	return append(dst, p.title...)
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
		t.deepen(g, g.Parts, []string{g.By}, maxLevels-1)
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
			t.deepen(g, g.Parts, slices.Concat(s.used, []string{g.By}), levels-1)
			return g
		}
	}
	return nil
}

// deepen groups what is too long inside parts of g.
func (t *Table) deepen(g *Grouping, parts []Part, used []string, levels int) {
	if levels == 0 {
		return
	}
	for i := range parts {
		p := &parts[i]
		if p.head > 0 {
			g.forest.deepen(p.head-1, used, levels)
			continue
		}
		t.deepen(g, p.parts, used, levels-1)
		if len(p.rows) <= t.maxRows || len(p.parts) > 0 {
			continue
		}
		if in := t.split(subset{rows: p.rows, used: used, id: p.id + ","}, false, levels); in != nil {
			p.parts, p.rows = in.Parts, in.Rest
		}
	}
}

// fits is the test every rule has to pass for so many rows.
func (t *Table) fits(g *Grouping, total int) bool {
	lines := len(g.Parts) + len(g.Rest)
	if len(g.Parts) == 0 || lines < 2 || lines > t.maxRows {
		return false
	}
	for i := range g.Parts {
		if g.size(&g.Parts[i])*5 > total*4 {
			return false
		}
	}
	return true
}

// mixFields tell what the rows of a group are.
var mixFields = []string{"type", "kind", "category", "level", "severity", "status", "state", "response", "code"}

// mixBits are the bits of mixFields.
var mixBits = func() (bits uint64) {
	for _, name := range mixFields {
		bits |= nameBit(name)
	}
	return bits
}()

// mix counts the rows by the first of mixFields there is, the most frequent
// four first: "link out 37, switch 5". Not by a field that was used: the groups
// round them say that. It also says how many rows have the most frequent one.
func (t *Table) mix(rows []int32, used ...string) (said string, most int) {
	b, most := t.appendMix(nil, rows, used...)
	return string(b), most
}

// appendMix is mix for what goes behind dst.
func (t *Table) appendMix(dst []byte, rows []int32, used ...string) (_ []byte, most int) {
	for _, c := range t.mixes {
		if slices.Contains(used, c.name) {
			continue
		}
		v := t.valuesOf(c, false)
		if v.many || len(v.first) < 2 {
			continue
		}
		if counts := t.tally(v, rows); t.repeats(counts, v) {
			return t.appendTop(dst, counts, v), int(slices.Max(counts))
		}
	}
	return dst, 0
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

// appendTop appends the values that are counted most, with their counts.
func (t *Table) appendTop(dst []byte, counts []int32, v *values) []byte {
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
	for k, i := range most[:n] {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(t.appendCell(dst, v.first[i], maxID/2), ' ')
		dst = strconv.AppendInt(dst, int64(counts[i]), 10)
	}
	return dst
}

// withMix is a title that ends in a mix, if there is one.
func withMix(title, mix string) string {
	if mix != "" {
		title += ": " + mix
	}
	return caption.Clip(title, maxTitle)
}
