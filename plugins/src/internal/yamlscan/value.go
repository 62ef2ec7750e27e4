package yamlscan

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/times"
)

const (
	sampleItems = 256 // that show which field divides a list
	maxNames    = 16  // fields that are looked at
	maxTried    = 3   // fields that are tried on all items

	// leastEach and leastNumber are how many items a group must have on average;
	// more where values are numbers, which are seldom names.
	leastEach   = 3
	leastNumber = 8
)

// ownFields are those by which an item may be referred to, besides idFields.
var ownFields = []string{"_id", "ts", "uid", "number"}

// byValue groups items by a field of few values that nine of ten have, the one
// that divides them most evenly.
func (t *tree) byValue(all []int32) *grouping {
	sample := make([]int32, min(len(all), sampleItems))
	for k := range sample {
		sample[k] = all[k*len(all)/len(sample)]
	}
	type divider struct {
		name string
		most int32 // items of the sample that have the same
	}
	var found []divider
	for _, name := range t.names(sample) {
		if most := t.divides(sample, name); most > 0 {
			found = append(found, divider{name, most})
		}
	}
	slices.SortStableFunc(found, func(a, b divider) int { return cmp.Compare(a.most, b.most) })
	for _, d := range found[:min(len(found), maxTried)] {
		if g := t.byName(all, d.name, "item"); g != nil {
			return g
		}
	}
	return nil
}

// names are the keys of a few of the items that have plain values and do not tell
// one item from all others.
func (t *tree) names(sample []int32) (names []string) {
	for _, item := range [...]int32{sample[0], sample[len(sample)/2], sample[len(sample)-1]} {
		for i := item + 1; i < t.next[item] && len(names) < maxNames; i = t.after(i) {
			n := t.node(i)
			if n.is&isItem != 0 || n.kind != plain && n.kind != quoted {
				continue
			}
			key := t.b[n.start:n.end()]
			if idField(key) >= 0 || slices.Contains(ownFields, string(key)) || slices.Contains(names, string(key)) {
				continue
			}
			names = append(names, string(key))
		}
	}
	return names
}

// divides says how many of the items in the largest group a field would make have
// the same value, 0 if it makes none worth it: its values are texts, times, all
// the same, or too many.
func (t *tree) divides(sample []int32, name string) (most int32) {
	long := false
	d, ok := t.tell(sample, func(at int32) []byte {
		value := t.field(at, name)
		long = long || len(value) > maxID
		return value
	}, maxLines, len(sample)/10)
	if !ok || long || len(d.labels) < 2 {
		return 0
	}
	if _, isTime := times.Parse([]byte(d.labels[0])); isTime {
		return 0
	}
	least := leastEach
	if first := d.labels[0]; first[0]-'0' <= 9 || first[0] == '-' {
		least = leastNumber
	}
	if len(d.labels)*least > len(sample) {
		return 0
	}
	return slices.Max(d.count)
}
