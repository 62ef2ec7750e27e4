package xml

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// kindAttributes are attributes that usually classify an element, the best first. Unlike
// rows.KindFields they include the classes of XML formats.
var kindAttributes = []string{"type", "kind", "category", "status", "state", "level", "class", "classname"}

// groups are groups of some elements.
type groups struct {
	list []group
	of   []int16 // by element: its position in the list, -1 if it is in no group
}

// division holds the groups of the children of an element.
type division struct {
	owner int32
	top   groups
	inner []groups // by group of top; most are empty
}

// groupChildren groups the children of elements that have many. by is
// part.Clues.GroupBy. It reports whether there are groups by that field.
func groupChildren(m *namer, wide []syntax.Wide, by string) (grouped bool) {
	slices.SortFunc(wide, func(a, b syntax.Wide) int { return int(a.Part - b.Part) })
	var found []division
	g := grouper{namer: m, named: []byte(by)}
	for _, w := range wide {
		if d := g.divide(w); len(d.top.list) > 0 {
			d.owner = w.Part
			found = append(found, d)
		}
	}
	if len(found) > 0 {
		insertGroups(m, found)
	}
	return g.grouped
}

// grouper finds useful groups of elements.
type grouper struct {
	*namer
	named   []byte // attribute or child that the config names
	grouped bool   // there are groups by it
	all     []int32
	members []int32
	of      []int16 // memory of the last rows.Division
}

// divide groups the children of an element by their tags and then by an attribute, or
// only by an attribute if groups by tag are not useful.
func (g *grouper) divide(w syntax.Wide) (d division) {
	i := int(w.Part)
	g.all = slices.Grow(g.all[:0], int(w.Children))
	for j := g.first(i); g.contains(i, j); j = g.next(j) {
		if g.isElement(j) {
			g.all = append(g.all, int32(j))
		}
	}
	if len(g.all) <= rows.MaxLines || g.isKey(int(g.all[0])) { // in a property list each child belongs to the key before it
		return d
	}
	if len(g.named) > 0 {
		if d.top = g.by(g.all, g.named).clone(); d.top.list != nil {
			g.grouped = true
			return d
		}
	}
	if d.top = g.by(g.all, nil).clone(); d.top.list == nil {
		d.top = g.byAttribute(g.all).clone()
		return d
	}
	d.inner = make([]groups, len(d.top.list))
	for k, top := range d.top.list {
		if top.size <= rows.MaxLines {
			continue
		}
		inner := g.byAttribute(g.membersOf(d.top, k)).clone()
		for n := range inner.list {
			inner.list[n].id = top.id + "," + inner.list[n].id
		}
		d.inner[k] = inner
	}
	return d
}

// clone returns groups that stay valid when a grouper continues.
func (g groups) clone() groups { return groups{g.list, slices.Clone(g.of)} }

// membersOf returns the elements of group k. They are valid until the next call.
func (g *grouper) membersOf(top groups, k int) []int32 {
	g.members = slices.Grow(g.members[:0], top.list[k].size)
	for n, of := range top.of {
		if int(of) == k {
			g.members = append(g.members, g.all[n])
		}
	}
	return g.members
}

// byAttribute groups elements by an attribute: the first useful one of kindAttributes,
// or the attribute of the first element that makes the most even groups.
func (g *grouper) byAttribute(all []int32) groups {
	for _, name := range kindAttributes {
		if g.attribute(int(all[0]), []byte(name)) == nil && g.attribute(int(all[1]), []byte(name)) == nil {
			continue // a useful attribute is in nearly all elements
		}
		if found := g.by(all, []byte(name)); found.list != nil {
			return found
		}
	}
	var best []byte
	least := len(all)
	for a := g.attributes(int(all[0])); a.Next(); {
		if startsNumber(a.Value) {
			continue
		}
		largest := 0
		found := g.by(all, a.Name)
		for _, group := range found.list {
			largest = max(largest, group.size)
		}
		if found.list != nil && largest < least {
			best, least = a.Name, largest
		}
	}
	if best == nil {
		return groups{}
	}
	return g.by(all, best)
}

// by groups elements by an attribute, or by their tags if it is nil. The list is nil if
// the groups are not useful. The result is valid until the next call.
func (g *grouper) by(all []int32, attribute []byte) groups {
	label := func(n int) []byte { return g.tag(int(all[n])) }
	if attribute != nil {
		label = func(n int) []byte { return g.label(int(all[n]), attribute) }
	}
	d, ok := rows.Divide(len(all), label, rows.Limit{Labels: 2 * rows.MaxLines, Rest: len(all) / 10, Size: math.MaxInt}, g.of)
	if cap(d.Of) > cap(g.of) {
		g.of = d.Of
	}
	if !ok || !d.IsUseful() {
		return groups{}
	}
	return g.makeGroups(all, &d, string(attribute))
}

// label returns the value of an attribute of element i. The field that the config names
// may also be a child.
func (g *grouper) label(i int, name []byte) []byte {
	if v := g.attribute(i, name); v != nil || !bytes.Equal(name, g.named) {
		return v
	}
	for j := g.first(i); g.contains(i, j); j = g.next(j) {
		if g.isElement(j) && bytes.Equal(g.tag(j), name) {
			return g.value(j, len(name))
		}
	}
	return nil
}

// makeGroups returns a group for each label of several elements. It overwrites d.Of.
func (g *grouper) makeGroups(all []int32, d *rows.Division, by string) groups {
	to := make([]int16, len(d.Labels)) // by label: its group, -1 for none
	var list []group
	for k, n := range d.Counts {
		if to[k] = -1; n > 1 {
			to[k] = int16(len(list))
			list = append(list, group{id: d.Labels[k], size: int(n), by: by})
		}
	}
	titles := make([]groupTitle, len(list))
	for n, k := range d.Of {
		if k >= 0 {
			k = to[k]
		}
		if d.Of[n] = k; k >= 0 {
			titles[k].add(&g.tree, all[n], list[k].size)
		}
	}
	for k := range list {
		if by != "" {
			list[k].id = by + "=" + list[k].id
		}
		list[k].title = titles[k].text(g.namer, list[k].size)
	}
	return groups{list, d.Of}
}

// groupTitle builds the title of a group: its size, its tag and the names of its first
// members.
type groupTitle struct {
	mixed bool // the members have different tags
	first []int32
}

// add adds a member of a group of the given size.
func (t *groupTitle) add(of *tree, element int32, size int) {
	if t.first == nil {
		t.first = make([]int32, 0, min(size, rows.MaxLines))
	}
	if len(t.first) < rows.MaxLines {
		t.first = append(t.first, element)
	}
	t.mixed = t.mixed || !of.hasSameTag(int(t.first[0]), int(element))
}

func (t *groupTitle) text(m *namer, size int) string {
	tag := []byte("elements")
	if !t.mixed {
		tag = m.tag(int(t.first[0]))
	}
	title := caption.Append(append(strconv.AppendInt(nil, int64(size), 10), ' '), tag, maxShown)
	return string(caption.Cut(m.appendNames(title, 0, t.first), 0, rows.MaxTitle))
}
