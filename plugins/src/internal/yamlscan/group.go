package yamlscan

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxLines is how many entries are told apart without groups, and how many
// groups and entries in none there may be.
const maxLines = 24

// groupFields say of what kind an item is, best first.
var groupFields = []string{"type", "kind", "category", "status", "state", "level", "division"}

// separators end the prefix of a key, the strongest first.
const separators = "./_-:"

// group is some of the entries of a collection.
type group struct {
	id, title string
	members   []int32
}

// grouping is how the entries of a collection fall into groups.
type grouping struct {
	by     string // what a reader is told
	groups []group
}

// groupAll puts the entries of long collections into groups: items and documents
// by a field, keys by their prefix. It returns by what those at the top are, if
// they are.
func (t *tree) groupAll(top kind) string {
	found := make(map[int32]*grouping)
	if g := t.divide(-1, top); g != nil {
		found[-1] = g
	}
	for i := range t.nodes {
		if n := &t.nodes[i]; n.kids > maxLines {
			if g := t.divide(int32(i), n.kind); g != nil {
				found[int32(i)] = g
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	t.regroup(found)
	if g := found[-1]; g != nil {
		return g.by
	}
	return ""
}

// divide finds the groups of one collection; -1 is the top.
func (t *tree) divide(owner int32, is kind) *grouping {
	from, to := t.inside(owner)
	var all []int32
	for i := from; i < to; i = t.next[i] {
		all = append(all, i)
	}
	if len(all) <= maxLines {
		return nil
	}
	if is == mapping {
		return t.byPrefix(all)
	}
	if t.nodes[all[0]].document {
		return t.byField(all, "document")
	}
	t.choose(owner)
	return t.byField(all, "item")
}

// byPrefix groups keys by what they begin with.
func (t *tree) byPrefix(all []int32) *grouping {
	for i := range len(separators) {
		groups := t.by(all, func(at int32) []byte { return t.prefix(at, separators[i]) })
		if groups == nil {
			continue
		}
		for k := range groups {
			groups[k].id += "*"
		}
		return t.titled("key prefix", "key", groups)
	}
	return nil
}

// byField groups items or documents by a field that says of what kind they are.
func (t *tree) byField(all []int32, noun string) *grouping {
	for _, name := range groupFields {
		groups := t.by(all, func(at int32) []byte { return t.field(at, name) })
		if groups == nil {
			continue
		}
		g := t.titled(name, noun, groups)
		for k := range groups {
			groups[k].id = name + "=" + groups[k].id
		}
		return g
	}
	return nil
}

// prefix is what stands before a separator in a key, with it.
func (t *tree) prefix(at int32, separator byte) []byte {
	n := &t.nodes[at]
	key := bytes.Trim(t.b[n.start:n.end], `"'`)
	return key[:bytes.IndexByte(key, separator)+1]
}

// by groups entries by a label. It returns nothing unless nine of ten have one,
// and there are at least two groups, none of them with most of the entries, and
// few lines in all.
func (t *tree) by(all []int32, label func(i int32) []byte) []group {
	var groups []group
	at := make(map[string]int)
	rest := 0
	for _, i := range all {
		l := label(i)
		if len(l) == 0 || len(l) > maxID {
			if rest++; rest*10 > len(all) {
				return nil
			}
			continue
		}
		k, ok := at[string(l)]
		if !ok {
			if k = len(groups); k > 2*maxLines {
				return nil
			}
			at[string(l)] = k
			groups = append(groups, group{id: string(l)})
		}
		groups[k].members = append(groups[k].members, i)
	}
	lines := len(groups) + rest
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.members) < 2 })
	if lines > maxLines || len(groups) < 2 {
		return nil
	}
	for _, g := range groups {
		if len(g.members)*5 > len(all)*4 {
			return nil
		}
	}
	return groups
}

// titled titles groups by their ids as they are.
func (t *tree) titled(by, noun string, groups []group) *grouping {
	for k := range groups {
		groups[k].title = t.groupTitle(&groups[k], noun)
	}
	return &grouping{by, groups}
}

// groupTitle says how many there are of what, and how the first are called.
func (t *tree) groupTitle(g *group, noun string) string {
	title := caption.Append(nil, []byte(g.id), maxID)
	title = append(append(title, ": "...), caption.Count(len(g.members), noun)...)
	for k, i := range g.members {
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
	n := &t.nodes[at]
	switch {
	case n.document:
		if name := t.documentName(at); len(name) > 0 {
			return caption.Append(dst, name, maxID)
		}
		return strconv.AppendInt(dst, int64(n.start), 10)
	case n.item:
		return t.itemID(dst, n)
	}
	if name := t.field(at, "name"); len(name) > 0 {
		return caption.Append(dst, name, maxID)
	}
	return t.appendKey(dst, at)
}

// regroup lists the parts anew, with the groups.
func (t *tree) regroup(found map[int32]*grouping) {
	r := &regrouped{tree: *t, found: found}
	r.parts, r.nodes = make([]part.Part, 0, len(t.parts)), make([]node, 0, len(t.nodes))
	r.entries(t, -1, -1)
	t.parts, t.nodes, t.groups = r.parts, r.nodes, r.groups
	t.link()
}

// regrouped is a list of parts in the making.
type regrouped struct {
	tree
	found map[int32]*grouping
}

// entries lists what stands inside a part of t, which is the part "in" now. The
// levels of parts bound how deep it calls itself.
func (r *regrouped) entries(t *tree, owner, in int32) {
	var grouped map[int32]bool
	if g := r.found[owner]; g != nil {
		grouped = make(map[int32]bool)
		for k := range g.groups {
			at := int32(len(r.parts))
			r.parts = append(r.parts, part.Part{Parent: in, Kind: part.Group})
			r.nodes = append(r.nodes, node{start: int32(len(r.groups)), kind: bundle, chosen: true})
			r.groups = append(r.groups, g.groups[k])
			for _, i := range g.groups[k].members {
				grouped[i] = true
				r.entry(t, i, at)
			}
		}
	}
	from, to := t.inside(owner)
	for i := from; i < to; i = t.next[i] {
		if !grouped[i] {
			r.entry(t, i, in)
		}
	}
}

func (r *regrouped) entry(t *tree, i, in int32) {
	at := int32(len(r.parts))
	p := t.parts[i]
	p.Parent = in
	r.parts, r.nodes = append(r.parts, p), append(r.nodes, t.nodes[i])
	if t.next[i] > i+1 {
		r.entries(t, i, at)
	}
}
