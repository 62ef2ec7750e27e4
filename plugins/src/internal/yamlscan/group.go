package yamlscan

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

const (
	// maxLines is how many entries are told apart without groups, and how many
	// groups and entries in none there may be.
	maxLines = 24
	// maxWished is how many groups a field may make that the config names: groups of
	// groups, as the host shows them.
	maxWished = maxLines * maxLines
)

// groupFields say of what kind an item is, best first.
var groupFields = []string{"type", "kind", "category", "status", "state", "level", "division"}

// group is some of the entries of a collection.
type group struct {
	id, title string
	members   []int32
}

// grouping is how the entries of a collection fall into groups.
type grouping struct {
	owner  int32  // the collection, -1 for the top
	by     string // what a reader is told
	groups []group
}

// groupAll puts the entries of long collections into groups: by the field that
// the config names, else items and documents by a field that says what they are,
// keys by their prefix. It returns by what those at the top are, if they are.
func (t *tree) groupAll(top kind) (by string) {
	var found []*grouping
	if g := t.divide(-1, top); g != nil {
		found, by = append(found, g), g.by
	}
	for i := range t.nodes {
		if t.nodes[i].val <= maxLines {
			continue
		}
		if n := t.node(int32(i)); n.kind == mapping || n.kind == sequence {
			if g := t.divide(int32(i), n.kind); g != nil {
				found = append(found, g)
			}
		}
	}
	if len(found) > 0 {
		t.regroup(found)
	}
	return by
}

// divide finds the groups of one collection; -1 is the top.
func (t *tree) divide(owner int32, is kind) *grouping {
	n := t.count(owner)
	if n <= maxLines || n > maxEntries {
		return nil
	}
	all := t.entries(owner, n)
	noun := "key"
	switch {
	case t.node(all[0]).is&isDocument != 0:
		noun = "document"
	case is != mapping:
		noun = "item"
		t.choose(owner)
	}
	g := t.byWish(all, noun)
	switch {
	case g != nil:
		t.grouped = true
	case is == mapping && noun == "key":
		g = t.byPrefix(all)
	default:
		g = t.byField(all, noun)
	}
	if g != nil {
		g.owner = owner
	}
	return g
}

// count is how many entries of a collection are noted.
func (t *tree) count(owner int32) (n int) {
	from, to := t.inside(owner)
	for i := from; i < to; i = t.next[i] {
		n++
	}
	return n
}

// entries are the n of a collection that are noted.
func (t *tree) entries(owner int32, n int) []int32 {
	from, to := t.inside(owner)
	all := make([]int32, 0, n)
	for i := from; i < to; i = t.next[i] {
		all = append(all, i)
	}
	return all
}

// byWish groups entries by the field that the config names, those without it in a
// group of their own. It returns nothing if less than one of ten has it, if that
// makes one group or far too many, and if its values are texts.
func (t *tree) byWish(all []int32, noun string) *grouping {
	if t.groupBy == "" {
		return nil
	}
	long := false
	d, ok := t.tell(all, func(at int32) []byte {
		value := t.field(at, t.groupBy)
		long = long || len(value) > maxID
		return value
	}, maxWished, len(all)/10*9)
	if !ok || long || len(d.labels) == 1 && d.rest == 0 {
		return nil
	}
	if d.rest > 0 {
		for k, of := range d.of {
			if of < 0 {
				d.of[k] = int16(len(d.labels))
			}
		}
		d.labels, d.count, d.rest = append(d.labels, ""), append(d.count, int32(d.rest)), 0
	}
	groups := d.groups(all)
	for k := range groups {
		g := &groups[k]
		called := g.id
		if called == "" {
			called = "no " + t.groupBy
		}
		g.id, g.title = t.groupBy+"="+g.id, t.groupTitle(called, g.members, noun)
	}
	return &grouping{by: t.groupBy, groups: groups}
}

// byField groups items or documents by a field that says of what kind they are,
// items by another one of few values if none does.
func (t *tree) byField(all []int32, noun string) *grouping {
	for _, name := range groupFields {
		if g := t.byName(all, name, noun); g != nil {
			return g
		}
	}
	if noun == "item" {
		return t.byValue(all)
	}
	return nil
}

// byName groups items or documents by one field.
func (t *tree) byName(all []int32, name, noun string) *grouping {
	groups := t.by(all, func(at int32) []byte { return t.field(at, name) })
	if groups == nil {
		return nil
	}
	for k := range groups {
		g := &groups[k]
		g.id, g.title = name+"="+g.id, t.groupTitle(g.id, g.members, noun)
	}
	return &grouping{by: name, groups: groups}
}

// by groups entries by a label. It returns nothing unless nine of ten have one,
// and there are at least two groups, none of them with most of the entries, and
// few lines in all.
func (t *tree) by(all []int32, label func(i int32) []byte) []group {
	d, ok := t.tell(all, label, 2*maxLines, len(all)/10)
	if !ok || len(d.labels)+d.rest > maxLines {
		return nil
	}
	groups := slices.DeleteFunc(d.groups(all), func(g group) bool { return len(g.members) < 2 })
	if len(groups) < 2 {
		return nil
	}
	for _, g := range groups {
		if len(g.members)*5 > len(all)*4 {
			return nil
		}
	}
	return groups
}

// division is how entries differ by a label.
type division struct {
	labels []string
	count  []int32 // by label: entries that have it
	of     []int16 // by entry: its label, -1 for none; good until the next division
	rest   int     // entries that have none
}

// tell asks each entry for its label. It gives up at more labels or more entries
// without one than there may be.
func (t *tree) tell(all []int32, label func(i int32) []byte, labels, rest int) (d division, ok bool) {
	at := make(map[string]int16)
	if cap(t.labels) < len(all) {
		t.labels = make([]int16, 0, len(all))
	}
	d.of = t.labels[:0]
	for _, i := range all {
		l := label(i)
		if len(l) == 0 || len(l) > maxID {
			if d.rest++; d.rest > rest {
				return d, false
			}
			d.of = append(d.of, -1)
			continue
		}
		k, ok := at[string(l)]
		if !ok {
			if k = int16(len(d.labels)); int(k) > labels {
				return d, false
			}
			at[string(l)] = k
			d.labels, d.count = append(d.labels, string(l)), append(d.count, 0)
		}
		d.count[k]++
		d.of = append(d.of, k)
	}
	return d, true
}

// groups are the entries by their labels, in one piece of memory.
func (d *division) groups(all []int32) []group {
	groups, members := make([]group, len(d.labels)), make([]int32, len(all)-d.rest)
	for k, n := range d.count {
		groups[k].id, groups[k].members = d.labels[k], members[:0:n]
		members = members[n:]
	}
	for i, k := range d.of {
		if k >= 0 {
			groups[k].members = append(groups[k].members, all[i])
		}
	}
	return groups
}

// groupTitle says how many there are of what, and how the first are called.
func (t *tree) groupTitle(called string, members []int32, noun string) string {
	title := caption.Append(nil, []byte(called), maxID)
	title = append(append(title, ": "...), caption.Count(len(members), noun)...)
	for k, i := range members {
		if len(title) > maxTitle {
			break
		}
		if k == 0 {
			title = append(title, ": "...)
		} else {
			title = append(title, ", "...)
		}
		title = t.shortly(title, i)
	}
	return string(caption.Cut(title, 0, maxTitle))
}

// shortly appends how an entry is called in a list.
func (t *tree) shortly(dst []byte, at int32) []byte {
	n := t.node(at)
	switch {
	case n.is&isDocument != 0:
		if name := t.documentName(at); len(name) > 0 {
			return caption.Append(dst, name, maxID)
		}
		return strconv.AppendInt(dst, int64(n.start), 10)
	case n.is&isItem != 0:
		return t.itemID(dst, n)
	}
	if name := t.field(at, "name"); len(name) > 0 {
		return caption.Append(dst, name, maxID)
	}
	return t.appendKey(dst, at)
}
