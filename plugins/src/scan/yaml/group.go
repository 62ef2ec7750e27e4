package yaml

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// grouping is an assignment of the entries of a collection to groups.
type grouping struct {
	owner  int32  // the collection, -1 for the top
	by     string // the field, or "key prefix"
	groups []group
}

// grouper groups the entries of long collections.
type grouper struct {
	namer
	groupBy string  // part.Clues.GroupBy
	grouped bool    // there are groups by that field
	labels  []int16 // memory of the last rows.Division
}

// groupAll groups the entries of long collections: by the field that the config
// names; otherwise items and documents by a field that classifies them, and keys by
// their prefix. top is the kind of the collection that is the whole text.
// groupAll returns the field by which the entries at the top are grouped, if any.
func (g *grouper) groupAll(top syntax.Kind) (by string) {
	var found []*grouping
	if at := g.divide(-1, top); at != nil {
		found, by = append(found, at), at.by
	}
	for i := range g.Places {
		if g.Places[i].Value <= rows.MaxLines {
			continue
		}
		if n := g.Node(int32(i)); !n.IsScalar() {
			if at := g.divide(int32(i), n.Kind); at != nil {
				found = append(found, at)
			}
		}
	}
	if len(found) > 0 {
		regroup(&g.namer, found)
	}
	return by
}

// divide groups the entries of one collection; -1 is the top. It returns nil if there
// are no useful groups.
func (g *grouper) divide(owner int32, kind syntax.Kind) *grouping {
	n := g.count(owner)
	if n <= rows.MaxLines || n > maxEntries {
		return nil
	}
	all := g.entries(owner, n)
	noun := "key"
	switch {
	case g.Node(all[0]).IsDocument():
		noun = "document"
	case kind != syntax.Mapping:
		noun = "item"
		g.chooseIDs(owner)
	}
	found := g.byNamedField(all, noun)
	switch {
	case found != nil:
		g.grouped = true
	case noun == "key":
		found = g.byPrefix(all)
	default:
		found = g.byKind(all, noun)
	}
	if found != nil {
		found.owner = owner
	}
	return found
}

// divideBy divides entries by a label, within a limit. The result is valid until the
// next call.
func (g *grouper) divideBy(all []int32, label func(i int32) []byte, limit rows.Limit) (rows.Division, bool) {
	d, ok := rows.Divide(len(all), func(k int) []byte { return label(all[k]) }, limit, g.labels)
	if cap(d.Of) > cap(g.labels) {
		g.labels = d.Of
	}
	return d, ok
}

// divideByField divides entries by the values of a field. It reports false also if a
// value is too long for an id.
func (g *grouper) divideByField(all []int32, name string, limit rows.Limit) (rows.Division, bool) {
	long := false
	d, ok := g.divideBy(all, func(i int32) []byte {
		value := g.field(i, name)
		long = long || len(value) > rows.MaxID
		return value
	}, limit)
	return d, ok && !long
}

// makeGroups returns the groups of a division, with their labels as ids.
func makeGroups(d *rows.Division, all []int32) []group {
	groups := make([]group, len(d.Labels))
	for k, members := range d.Members(all) {
		groups[k] = group{id: d.Labels[k], members: members}
	}
	return groups
}

// usefulGroups returns the groups of entries with the same label that have several
// members, nil if these groups do not help a reader.
func (g *grouper) usefulGroups(all []int32, label func(i int32) []byte) []group {
	d, ok := g.divideBy(all, label, rows.Limit{Labels: 2 * rows.MaxLines, Rest: len(all) / 10})
	if !ok || !d.IsUseful() {
		return nil
	}
	return slices.DeleteFunc(makeGroups(&d, all), func(g group) bool { return len(g.members) < 2 })
}

// byNamedField groups entries by the field that the config names, and those without it in
// a group of their own. It returns nil if fewer than one in ten entries have the
// field, if there would be one group or far too many, or if the values are texts.
func (g *grouper) byNamedField(all []int32, noun string) *grouping {
	if g.groupBy == "" {
		return nil
	}
	d, ok := g.divideByField(all, g.groupBy, rows.Limit{Labels: rows.MaxNested, Rest: len(all) / 10 * 9})
	if !ok || len(d.Labels) == 1 && d.Rest == 0 {
		return nil
	}
	d.LabelRest()
	groups := makeGroups(&d, all)
	for k := range groups {
		at := &groups[k]
		name := at.id
		if name == "" {
			name = "no " + g.groupBy
		}
		at.id, at.title = g.groupBy+"="+at.id, g.groupTitle(name, at.members, noun)
	}
	return &grouping{by: g.groupBy, groups: groups}
}

// byKind groups items or documents by a field that classifies them. Without one,
// items are grouped by another field of few values.
func (g *grouper) byKind(all []int32, noun string) *grouping {
	for _, name := range rows.KindFields {
		if found := g.byField(all, name, noun); found != nil {
			return found
		}
	}
	if noun == "item" {
		return g.byValue(all)
	}
	return nil
}

// byField groups items or documents by one field.
func (g *grouper) byField(all []int32, name, noun string) *grouping {
	groups := g.usefulGroups(all, func(i int32) []byte { return g.field(i, name) })
	if groups == nil {
		return nil
	}
	for k := range groups {
		at := &groups[k]
		at.id, at.title = name+"="+at.id, g.groupTitle(at.id, at.members, noun)
	}
	return &grouping{by: name, groups: groups}
}

const (
	sampleItems = 256 // items that are examined to find a field
	maxFields   = 16  // fields that are examined
	maxTried    = 3   // fields that are tried on all items
)

// byValue groups items by the field of few values that divides them most evenly.
func (g *grouper) byValue(all []int32) *grouping {
	sample := make([]int32, min(len(all), sampleItems))
	for k := range sample {
		sample[k] = all[k*len(all)/len(sample)]
	}
	type field struct {
		name    string
		largest int32 // items of the sample in its largest group
	}
	var found []field
	for _, name := range g.plainFields(sample) {
		if n := g.largestGroup(sample, name); n > 0 {
			found = append(found, field{name, n})
		}
	}
	slices.SortStableFunc(found, func(a, b field) int { return cmp.Compare(a.largest, b.largest) })
	for _, f := range found[:min(len(found), maxTried)] {
		if groups := g.byField(all, f.name, "item"); groups != nil {
			return groups
		}
	}
	return nil
}

// plainFields returns the keys of a few of the items that have plain values and do
// not identify the item.
func (g *grouper) plainFields(sample []int32) (names []string) {
	for _, item := range [...]int32{sample[0], sample[len(sample)/2], sample[len(sample)-1]} {
		for i := item + 1; i < g.next[item] && len(names) < maxFields; i = g.after(i) {
			n := g.Node(i)
			if n.IsItem() || n.Kind != syntax.Plain && n.Kind != syntax.Quoted {
				continue
			}
			key := string(g.Key(n))
			if idField([]byte(key)) >= 0 || slices.Contains(rows.ReferencedFields, key) || slices.Contains(names, key) {
				continue
			}
			names = append(names, key)
		}
	}
	return names
}

// largestGroup returns the size of the largest group of the items by a field. It
// returns 0 if the groups are not useful: the values are texts, times, all the same,
// or too many.
func (g *grouper) largestGroup(sample []int32, name string) int32 {
	d, ok := g.divideByField(sample, name, rows.Limit{Labels: rows.MaxLines, Rest: len(sample) / 10})
	if !ok || len(d.Labels) < 2 {
		return 0
	}
	first := d.Labels[0]
	if _, isTime := times.Parse([]byte(first)); isTime {
		return 0
	}
	// All fields of rows.KindFields have been tried, so name is not one of them.
	if len(d.Labels)*rows.MinShare("", first[0]-'0' <= 9 || first[0] == '-') > len(sample) {
		return 0
	}
	return slices.Max(d.Counts)
}

// separators end the prefix of a key, the strongest first.
const separators = "./_-:"

// byPrefix groups keys by their prefixes. A prefix that nearly all keys share is
// skipped because it distinguishes nothing.
func (g *grouper) byPrefix(all []int32) *grouping {
	for i := range len(separators) {
		shared := g.sharedPrefix(all, separators[i])
		groups := g.usefulGroups(all, func(at int32) []byte { return prefix(g.bareKey(at), shared, separators[i]) })
		if groups == nil {
			continue
		}
		for k := range groups {
			at := &groups[k]
			at.id += "*"
			at.title = g.groupTitle(at.id, at.members, "key")
		}
		return &grouping{by: "key prefix", groups: groups}
	}
	return nil
}

// maxShared is the number of words of a shared prefix, such as the names of an
// organization and its product: com.example.store.
const maxShared = 4

// sharedPrefix returns the prefix that nine in ten keys share, up to a separator.
func (g *grouper) sharedPrefix(all []int32, separator byte) (shared []byte) {
	for range maxShared {
		longer := prefix(g.bareKey(all[len(all)/2]), shared, separator)
		if len(longer) == 0 {
			break
		}
		n := 0
		for _, i := range all {
			if bytes.HasPrefix(g.bareKey(i), longer) {
				n++
			}
		}
		if !rows.IsMost(n, len(all)) {
			break
		}
		shared = longer
	}
	return shared
}

// prefix returns the start of a key up to and including the first separator after
// the shared prefix, nil if there is none.
func prefix(key, shared []byte, separator byte) []byte {
	from := 0
	if bytes.HasPrefix(key, shared) {
		from = len(shared)
	}
	n := bytes.IndexByte(key[from:], separator)
	if n < 0 {
		return nil
	}
	return key[:from+n+1]
}

// bareKey returns a key without its quotes.
func (g *grouper) bareKey(i int32) []byte { return bytes.Trim(g.Key(g.Node(i)), `"'`) }
