package xml

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// idNames are the names of attributes and children that name an element, the best
// first.
var idNames = [...]string{"name", "id", "key", "title", "include", "text"}

// Ranks of names are positions in idNames, or:
const (
	keyRank    = 2                      // of "key"
	suffixRank = int8(len(idNames))     // of names with one of idSuffixes, such as contactId and user_name
	noRank     = int8(len(idNames)) + 1 // of other names
)

// idSuffixes are the ends of names that refer to a name or an id.
var idSuffixes = [...]string{"Id", "ID", "Name", "_id", "-id", "_name", "-name"}

// rankOf returns how well an attribute or child of this name names its element; 0 is
// the best rank.
func rankOf(name []byte) int8 {
	for i, n := range idNames {
		if len(n) == len(name) && n[0] == name[0]|0x20 && bytes.EqualFold([]byte(n), name) {
			return int8(i)
		}
	}
	for _, end := range idSuffixes {
		if len(name) > len(end) && string(name[len(name)-len(end):]) == end {
			return suffixRank
		}
	}
	return noRank
}

// identifier finds the values that distinguish elements of the same tag.
type identifier struct {
	tree
	tags []tagInfo // by number of a tag
}

// tagInfo describes the elements of a tag.
type tagInfo struct {
	rank        int8   // of the tag as the name of a child: see rankOf
	plain       bool   // the tag is short and ASCII
	distinctive []byte // the attribute that distinguishes such elements, nil if there is none
	pairs       answer // whether they are pairs of a key and a value in attributes
}

type answer int8

const (
	unknown answer = iota
	yes
	no
)

func newIdentifier(found *syntax.Tree) identifier {
	d := identifier{tree: tree{*found}, tags: make([]tagInfo, len(found.Tags))}
	d.tags[0].rank = noRank
	for n := 1; n < len(d.tags); n++ {
		tag := found.Text[found.Tags[n].Start:found.Tags[n].End]
		d.tags[n] = tagInfo{rank: rankOf(syntax.LocalName(tag)), plain: isPlain(tag)}
	}
	d.findDistinctive()
	return d
}

// isPlain reports whether a name is short and ASCII, so that it is its own caption.
func isPlain(name []byte) bool {
	for _, c := range name {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return len(name) <= maxShown
}

// id returns the value that distinguishes element i from others of its tag, nil if
// there is none.
func (d *identifier) id(i int, tag []byte) []byte {
	p := d.Parts[i]
	if v := findAttributeID(d.Text, int(p.Start)+1+len(tag)); v != nil {
		return v
	}
	if v := d.keyBefore(i); v != nil || p.Kind != part.Record {
		return v
	}
	if v, _ := d.childID(i); v != nil {
		return v
	}
	if j := d.first(i); d.contains(i, j) && d.isElement(j) {
		if v, rank := d.childID(j); rank < suffixRank { // the first child is a header
			return v
		}
	}
	if name := d.tags[d.Forms[i].Tag()].distinctive; name != nil {
		if v := d.attribute(i, name); isWord(v) {
			return v
		}
	}
	return nil
}

// findAttributeID returns the value of the attribute that names an element. b[at] follows the
// name of its tag.
func findAttributeID(b []byte, at int) (value []byte) {
	best := suffixRank
	for a := syntax.AttributesAfter(b, at); best > 0 && a.Next(); {
		if syntax.IsNamespace(a.Name) {
			continue
		}
		if rank := rankOf(syntax.LocalName(a.Name)); rank < best && isValue(a.Value) {
			best, value = rank, a.Value
		}
	}
	return value
}

// keyBefore returns the text of an element "key" right before element i, as in
// property lists.
func (d *identifier) keyBefore(i int) []byte {
	if i == 0 || d.Parts[i-1].End > d.Parts[i].Start || !d.isKey(i-1) || d.parent(i-1) != d.parent(i) || d.isKey(i) {
		return nil
	}
	if from := int(d.Parts[i-1].End); syntax.SkipSpace(d.Text, from) < int(d.Parts[i].Start) {
		return nil
	}
	return d.value(i-1, len("key"))
}

func (d *identifier) isKey(i int) bool {
	return d.rank(i) == keyRank && string(d.tag(i)) == "key"
}

// rank returns how well part i names its element.
func (d *identifier) rank(i int) int8 {
	if !d.isElement(i) {
		return noRank
	}
	return d.tags[d.Forms[i].Tag()].rank
}

// maxIDChildren is the number of children that may name their element.
const maxIDChildren = 8

// childID returns the text of the child that names element i, and its rank: the child
// of the best rank, or the last of several of suffixRank, because coordinates go from
// the general to the specific.
func (d *identifier) childID(i int) (value []byte, best int8) {
	best = noRank
	j := d.first(i)
	for n := 0; n < maxIDChildren && best > 0 && d.contains(i, j); n++ {
		if rank := d.rank(j); rank < best || rank == best && rank == suffixRank {
			if v := d.value(j, len(d.tag(j))); v != nil {
				best, value = rank, v
			}
		}
		j = d.next(j)
	}
	return value, best
}

// maxSample is the number of siblings that are compared to find a distinctive
// attribute.
const maxSample = 32

// siblings are the first elements of a tag in one parent.
type siblings struct {
	parent   int32
	elements []int32
}

// findDistinctive finds for each tag the attribute that distinguishes siblings, if
// they have no attribute with a good name.
func (d *identifier) findDistinctive() {
	samples := make([]siblings, len(d.tags))
	for i, f := range d.Forms {
		if f <= syntax.Element || d.Parts[i].Kind != part.Record {
			continue
		}
		s := &samples[f.Tag()]
		if len(s.elements) == 0 {
			s.parent, s.elements = d.Parts[i].Parent, make([]int32, 0, 8)
		}
		if len(s.elements) < maxSample && s.parent == d.Parts[i].Parent {
			s.elements = append(s.elements, int32(i))
		}
	}
	for n, s := range samples {
		if len(s.elements) > 1 {
			d.tags[n].distinctive = d.distinctive(s.elements)
		}
	}
}

// distinctive returns the first attribute with different values in all of the elements.
// It returns nil if there is none or if the first element has a name.
func (d *identifier) distinctive(elements []int32) []byte {
	first := int(elements[0])
	if findAttributeID(d.Text, int(d.Parts[first].Start)+1+len(d.tag(first))) != nil {
		return nil
	}
	for a := d.attributes(first); a.Next(); {
		if !syntax.IsNamespace(a.Name) && d.isDistinctive(elements, a.Name) {
			return a.Name
		}
	}
	return nil
}

// isDistinctive reports whether the values of an attribute are words and differ in all
// of the elements.
func (d *identifier) isDistinctive(elements []int32, name []byte) bool {
	var values [maxSample][]byte
	for n, i := range elements {
		v := d.attribute(int(i), name)
		if !isWord(v) {
			return false
		}
		for _, other := range values[:n] {
			if bytes.Equal(v, other) {
				return false
			}
		}
		values[n] = v
	}
	return true
}

// isWord reports whether a value can serve as a name: it is a word, not a number, a
// formula or the path of a drawing.
func isWord(v []byte) bool {
	return len(v) > 0 && len(v) <= maxValue && !startsNumber(v) && !bytes.ContainsAny(v, " \t\r\n()[]{},;&<>\"'")
}

// startsNumber reports whether a value begins with a number. Elements of the same size
// have nothing else in common.
func startsNumber(v []byte) bool {
	v = bytes.TrimLeft(v, "-+.")
	return len(v) > 0 && v[0] >= '0' && v[0] <= '9'
}
