package xmlscan

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxLines is how many children are told apart without groups, and how many
// groups there may be.
const maxLines = 24

// group is some of the children of an element: those of one tag, or with one
// value of an attribute.
type group struct {
	id, title string
	by        string // the attribute that all have in common, empty if it is the tag
	members   []int32
	groups    []group // of the members
}

// group puts the children of elements that have many into groups.
func (d *document) group(wide []int32) {
	found := make(map[int32][]group)
	for _, i := range wide {
		if groups := d.divide(int(i)); len(groups) > 0 {
			found[i] = groups
		}
	}
	if len(found) > 0 {
		d.regroup(found)
	}
}

// divide groups the children of element i by their tags if that tells them
// apart, and those of one tag by an attribute.
func (d *document) divide(i int) []group {
	var all []int32
	for j := range d.children(i) {
		if d.isElement(j) {
			all = append(all, int32(j))
		}
	}
	if len(all) == 0 || d.isKey(int(all[0])) { // each is the value of the key before it
		return nil
	}
	groups := d.by(all, func(j int32) []byte { return d.tagOf(int(j)) })
	if groups == nil {
		return d.byAttribute(all)
	}
	for k := range groups {
		if g := &groups[k]; len(g.members) > maxLines {
			g.groups = d.byAttribute(g.members)
			for n := range g.groups {
				g.groups[n].id = g.id + "," + g.groups[n].id
			}
		}
	}
	return groups
}

// kinds are attributes that say of what kind an element is, best first.
var kinds = []string{"type", "kind", "category", "status", "state", "level", "class", "classname"}

// byAttribute groups elements by one of their attributes: one that says what
// they are, else the one of the first element that makes the most even groups.
func (d *document) byAttribute(all []int32) []group {
	if len(all) <= maxLines {
		return nil
	}
	for _, name := range kinds {
		if !d.has(all[:2], name) {
			continue
		}
		if groups := d.byValue(all, name); groups != nil {
			return groups
		}
	}
	var best []group
	least := len(all)
	attributes(d.b, int(d.parts[all[0]].Start), func(a attribute) bool {
		if isNumber(a.value) {
			return true
		}
		groups := d.byValue(all, string(a.name))
		most := 0
		for _, g := range groups {
			most = max(most, len(g.members))
		}
		if groups != nil && most < least {
			best, least = groups, most
		}
		return true
	})
	return best
}

// isNumber reports values that measure something: no two of a size belong
// together for that.
func isNumber(v []byte) bool {
	v = bytes.TrimLeft(v, "-+.")
	return len(v) > 0 && v[0] >= '0' && v[0] <= '9'
}

// has reports whether one of these elements has the attribute. Those that group
// them are in nearly all of them.
func (d *document) has(some []int32, name string) (found bool) {
	for _, j := range some {
		attributes(d.b, int(d.parts[j].Start), func(a attribute) bool {
			found = found || string(a.name) == name
			return !found
		})
	}
	return found
}

func (d *document) byValue(all []int32, name string) []group {
	groups := d.by(all, func(j int32) (value []byte) {
		attributes(d.b, int(d.parts[j].Start), func(a attribute) bool {
			if string(a.name) == name && isValue(a.value) {
				value = a.value
			}
			return value == nil
		})
		return value
	})
	for k := range groups {
		groups[k].id, groups[k].by = name+"="+groups[k].id, name
	}
	return groups
}

// by groups elements by a label. It returns nothing unless nine of ten have
// one, and there are at least two groups, none of them with most of the elements,
// and few lines in all.
func (d *document) by(all []int32, label func(j int32) []byte) []group {
	if len(all) <= maxLines {
		return nil
	}
	var groups []group
	at := make(map[string]int)
	rest := 0
	for n, j := range all {
		l := label(j)
		if l == nil {
			if rest++; rest*10 > len(all) {
				return nil
			}
			continue
		}
		k, ok := at[string(l)]
		if !ok {
			if k = len(groups); k > maxLines && n < len(all)/2 {
				return nil
			}
			at[string(l)] = k
			groups = append(groups, group{id: string(l)})
		}
		groups[k].members = append(groups[k].members, j)
	}
	lines := len(groups) + rest
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.members) < 2 })
	if lines > maxLines || len(groups) < 2 {
		return nil
	}
	for k := range groups {
		if len(groups[k].members)*10 > len(all)*8 {
			return nil
		}
		groups[k].title = d.groupTitle(groups[k].members)
	}
	return groups
}

// groupTitle says how many elements there are of what, and how the first are
// called.
func (d *document) groupTitle(members []int32) string {
	what := d.tagOf(int(members[0]))
	for _, j := range members {
		if !bytes.Equal(d.tagOf(int(j)), what) {
			what = []byte("elements")
			break
		}
	}
	title := strconv.AppendInt(nil, int64(len(members)), 10)
	title = caption.Append(append(title, ' '), what, maxShown)
	title = d.list(title, 0, func(yield func(j int) bool) {
		for _, j := range members {
			if !yield(int(j)) {
				return
			}
		}
	})
	return string(caption.Cut(title, 0, maxTitle))
}

// regroup lists the parts anew, with the groups of some of them.
func (d *document) regroup(found map[int32][]group) {
	r := &regrouped{document: d, found: found, to: make([]int32, len(d.parts)), groups: make(map[int32]group)}
	r.listed = make([]part.Part, 0, len(d.parts)+maxLines*len(found))
	for i := range r.to {
		r.to[i] = -1
	}
	r.subtrees(0, int32(len(d.parts)), -1)
	d.parts, d.groups = r.listed, r.groups
}

// regrouped is a list of parts in the making.
type regrouped struct {
	*document
	found  map[int32][]group
	to     []int32 // by old position: the new one, -1: not listed yet
	listed []part.Part
	groups map[int32]group
}

// subtrees lists the parts [from, to), the first of which lies in a part that is
// listed already or in the group "in". The levels of parts bound how deep it calls
// itself.
func (r *regrouped) subtrees(from, to, in int32) {
	for i := from; i < to; i++ {
		p := r.parts[i]
		switch {
		case in >= 0 && i == from:
			p.Parent = in
		case p.Parent >= 0:
			p.Parent = r.to[p.Parent]
		}
		r.to[i] = int32(len(r.listed))
		r.listed = append(r.listed, p)
		if groups := r.found[i]; groups != nil {
			end := r.end(i)
			r.members(groups, r.to[i], i, end)
			i = end - 1
		}
	}
}

// end is the position after the last part in part i.
func (r *regrouped) end(i int32) int32 {
	end := i + 1
	for int(end) < len(r.parts) && r.parts[end].Parent >= i {
		end++
	}
	return end
}

// members lists the groups of part i, which ends before end, then what stands in
// none.
func (r *regrouped) members(groups []group, parent, i, end int32) {
	r.list(groups, parent)
	for j := i + 1; j < end; {
		next := r.end(j)
		if r.to[j] < 0 {
			r.subtrees(j, next, -1)
		}
		j = next
	}
}

func (r *regrouped) list(groups []group, parent int32) {
	for _, g := range groups {
		at := int32(len(r.listed))
		r.listed = append(r.listed, part.Part{Parent: parent, Kind: part.Group})
		r.groups[at] = g
		r.list(g.groups, at)
		for _, j := range g.members {
			if r.to[j] < 0 {
				r.subtrees(j, r.end(j), at)
			}
		}
	}
}
