package xmlscan

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// maxLines is how many children are told apart without groups, and how many
// groups there may be.
const maxLines = 24

// group is some of the children of an element: those of one tag, or with one
// value of an attribute.
type group struct {
	id, title string
	by        string // the attribute that all have in common, empty if it is the tag
	at        int32  // the part that it is
	size      int    // members
}

// groups are a way to tell some elements apart.
type groups struct {
	list []group
	of   []uint8 // by element: its position in the list and one more, 0: it is in none
}

// division is the groups of one element's children.
type division struct {
	of     int32 // the element
	top    groups
	within []groups // by group of top; most have none
}

// group puts the children of elements that have many into groups.
//
// by is part.Clues.GroupBy; granted: that is in part.Doc.Grouped.
func (d *document) group(all []wide, by string) (granted bool) {
	slices.SortFunc(all, func(a, b wide) int { return int(a.part - b.part) })
	var found []division
	g := grouper{document: d, wish: []byte(by)}
	for _, w := range all {
		if div := g.divide(w); len(div.top.list) > 0 {
			div.of = w.part
			found = append(found, div)
		}
	}
	if len(found) > 0 {
		d.insert(found)
	}
	return g.granted
}

// grouper tries ways to group elements.
type grouper struct {
	*document
	wish      []byte // attribute or child that is asked for
	granted   bool   // some elements have it
	all, some []int32
	of        []uint8
}

// divide groups the children of an element by their tags if that tells them
// apart, and those of one tag by an attribute.
func (g *grouper) divide(w wide) (div division) {
	i := int(w.part)
	g.all = slices.Grow(g.all[:0], int(w.kids))
	for j := g.first(i); g.holds(i, j); j = g.next(j) {
		if g.isElement(j) {
			g.all = append(g.all, int32(j))
		}
	}
	if len(g.all) <= maxLines || g.isKey(int(g.all[0])) { // each is the value of the key before it
		return div
	}
	if len(g.wish) > 0 {
		if list := g.by(g.all, g.wish); list != nil {
			g.granted = true
			div.top = groups{list, slices.Clone(g.of)}
			return div
		}
	}
	list := g.by(g.all, nil)
	if list == nil {
		div.top = groups{g.byAttribute(g.all), slices.Clone(g.of)}
		return div
	}
	div.top = groups{list, slices.Clone(g.of)}
	div.within = make([]groups, len(list))
	for k, top := range list {
		if top.size <= maxLines {
			continue
		}
		members := g.members(div.top, k)
		list := g.byAttribute(members)
		for n := range list {
			list[n].id = top.id + "," + list[n].id
		}
		div.within[k] = groups{list, slices.Clone(g.of)}
	}
	return div
}

// members are the elements of all that are in group k. They are good until the
// next ones are asked for.
func (g *grouper) members(all groups, k int) []int32 {
	g.some = slices.Grow(g.some[:0], all.list[k].size)
	for n, of := range all.of {
		if int(of) == k+1 {
			g.some = append(g.some, g.all[n])
		}
	}
	return g.some
}

// kinds are attributes that say of what kind an element is, best first.
var kinds = []string{"type", "kind", "category", "status", "state", "level", "class", "classname"}

// byAttribute groups elements by one of their attributes: one that says what
// they are, else the one of the first element that makes the most even groups.
func (g *grouper) byAttribute(all []int32) []group {
	for _, name := range kinds {
		if g.attribute(all[0], []byte(name)) == nil && g.attribute(all[1], []byte(name)) == nil {
			continue // those that group them are in nearly all of them
		}
		if list := g.by(all, []byte(name)); list != nil {
			return list
		}
	}
	var best []byte
	least := len(all)
	for a := attributesAt(g.b, int(g.parts[all[0]].Start)); a.next(); {
		if isNumber(a.value) {
			continue
		}
		most := 0
		list := g.by(all, a.name)
		for _, group := range list {
			most = max(most, group.size)
		}
		if list != nil && most < least {
			best, least = a.name, most
		}
	}
	if best == nil {
		return nil
	}
	return g.by(all, best)
}

// isNumber reports values that measure something: no two of a size belong
// together for that.
func isNumber(v []byte) bool {
	v = bytes.TrimLeft(v, "-+.")
	return len(v) > 0 && v[0] >= '0' && v[0] <= '9'
}

// by groups elements by an attribute, nil: by their tags; g.of says which is in
// which group. It returns nothing unless nine of ten have one, and there are at
// least two groups, none of them with most of the elements, and few lines in all.
func (g *grouper) by(all []int32, attribute []byte) []group {
	g.of = slices.Grow(g.of[:0], len(all))
	var found labels
	rest := 0
	for n, j := range all {
		label := g.tagOf(int(j))
		if attribute != nil {
			label = g.attribute(j, attribute)
			if label == nil && bytes.Equal(attribute, g.wish) {
				label = g.child(int(j), attribute)
			}
		}
		if label == nil {
			if rest++; rest*10 > len(all) {
				return nil
			}
			g.of = append(g.of, 0)
			continue
		}
		k := found.add(label)
		if k < 0 || k > maxLines && n < len(all)/2 {
			return nil
		}
		g.of = append(g.of, uint8(k+1))
	}
	if len(found.list)+rest > maxLines {
		return nil
	}
	return g.name(all, found, attribute)
}

// child is the text of a child of an element, nil if it has none that is short.
func (g *grouper) child(i int, name []byte) []byte {
	for j := g.first(i); g.holds(i, j); j = g.next(j) {
		if g.isElement(j) && bytes.Equal(g.tagOf(j), name) {
			return g.value(j, len(name))
		}
	}
	return nil
}

// labels are counted values, in the order in which they come.
type labels struct {
	list []label
	last int
}

type label struct {
	text []byte
	n    int
}

// add counts a value and returns its position, -1 if there are too many to be
// groups.
func (l *labels) add(text []byte) int {
	if l.last < len(l.list) && bytes.Equal(l.list[l.last].text, text) { // as it is in most texts
		l.list[l.last].n++
		return l.last
	}
	for k := range l.list {
		if bytes.Equal(l.list[k].text, text) {
			l.list[k].n++
			l.last = k
			return k
		}
	}
	if len(l.list) == 2*maxLines {
		return -1
	}
	l.list = append(l.list, label{text, 1})
	l.last = len(l.list) - 1
	return l.last
}

// name makes groups of labels; one that names a single element is none.
func (g *grouper) name(all []int32, found labels, attribute []byte) []group {
	to := make([]uint8, len(found.list)+1)
	var list []group
	for k, l := range found.list {
		if l.n*10 > len(all)*8 {
			return nil
		}
		if l.n > 1 {
			list = append(list, group{id: string(l.text), size: l.n})
			to[k+1] = uint8(len(list))
		}
	}
	if len(list) < 2 {
		return nil
	}
	titles := make([]groupTitle, len(list))
	for n, k := range g.of {
		if g.of[n] = to[k]; to[k] > 0 {
			titles[to[k]-1].add(g.document, all[n])
		}
	}
	for k := range list {
		if attribute != nil {
			list[k].by = string(attribute)
			list[k].id = list[k].by + "=" + list[k].id
		}
		list[k].title = titles[k].text(g.document, list[k].size)
	}
	return list
}

// groupTitle says how many elements there are of what, and how the first are
// called.
type groupTitle struct {
	mixed bool // not all of them have the same tag
	first []int32
}

func (t *groupTitle) add(d *document, element int32) {
	if len(t.first) < maxLines {
		t.first = append(t.first, element)
	}
	t.mixed = t.mixed || !d.sameTag(int(t.first[0]), int(element))
}

func (t *groupTitle) text(d *document, n int) string {
	tag := []byte("elements")
	if !t.mixed {
		tag = d.tagOf(int(t.first[0]))
	}
	title := caption.Append(append(strconv.AppendInt(nil, int64(n), 10), ' '), tag, maxShown)
	return string(caption.Cut(d.list(title, 0, t.first), 0, maxTitle))
}
