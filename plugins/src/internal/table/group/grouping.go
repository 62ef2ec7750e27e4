// Package group groups the rows of a table so that a reader can choose between groups: by
// references to other rows, by a field of few values, by the prefix of ids, or by time.
package group

// Part is a group of rows. Its rows are its own and those of the groups in it, each row
// once; see Grouping.Walk.
type Part struct {
	id    string // see Grouping.AppendID
	title string
	rows  []int32
	parts []Part
	head  int32 // of a group of references: 1 + the row that the others refer to; then forest holds the rest
}

// Grouping is how the rows of a table are grouped.
type Grouping struct {
	By    string // a field, "key prefix" or "id prefix"
	Parts []Part
	Rest  []int32 // rows in no group

	forest *forest // of groups of references
}

// Visit is called with a group, the rows that are in none of the groups in it, and the
// number of groups around it. Part and rows are valid until it returns.
type Visit func(p *Part, rows []int32, level int) error

// Walk visits all groups, each before those in it. It stops at the first error.
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

// Len returns the number of groups on all levels.
func (g *Grouping) Len() (n int) {
	_ = g.Walk(func(*Part, []int32, int) error { n++; return nil })
	return n
}

// ReferredNoun returns the word for a row that others refer to, if the rows are grouped by
// the references of a field.
func (g *Grouping) ReferredNoun(field string) (noun string, ok bool) {
	if g == nil || g.forest == nil || g.By != field {
		return "", false
	}
	return g.forest.noun, true
}

// size returns the number of rows in a group and all groups in it.
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

// AppendID appends the id of a group, without the @ that marks groups, not escaped.
func (g *Grouping) AppendID(dst []byte, p *Part) []byte {
	if p.head > 0 {
		return g.forest.appendID(dst, p.head-1)
	}
	return append(dst, p.id...)
}

// AppendTitle appends the title of a group, one line of up to rows.MaxTitle bytes.
func (g *Grouping) AppendTitle(dst []byte, p *Part) []byte {
	if p.head > 0 {
		return g.forest.appendTitle(dst, p.head-1)
	}
	return append(dst, p.title...)
}
