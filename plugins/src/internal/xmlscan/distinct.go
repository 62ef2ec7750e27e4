package xmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxSample is how many siblings tell whether the values of an attribute are all
// different.
const maxSample = 32

// siblings are the first elements of a tag that stand in one element.
type siblings struct {
	owner int32
	of    []int32
}

// distinguish finds for each tag the attribute that tells siblings apart, where
// none is called a name.
func (d *document) distinguish() {
	all := make([]siblings, len(d.tags))
	for i, w := range d.what {
		if w <= isElement || d.parts[i].Kind != part.Record {
			continue
		}
		s := &all[d.tagNumber(i)]
		if len(s.of) == 0 {
			s.owner = d.parts[i].Parent
		}
		if len(s.of) < maxSample && s.owner == d.parts[i].Parent {
			s.of = append(s.of, int32(i))
		}
	}
	for w, s := range all {
		if len(s.of) > 1 {
			d.tags[w].by = d.distinct(s.of)
		}
	}
}

// distinct is the first attribute that has another value in each of some
// elements, nil if there is none, or one that names them anyway.
func (d *document) distinct(elements []int32) []byte {
	first := int(d.parts[elements[0]].Start)
	if attributeID(d.b, nameEnd(d.b, first+1)) != nil {
		return nil
	}
	for a := attributesAt(d.b, first); a.next(); {
		if !isNamespace(a.name) && d.differ(elements, a.name) {
			return a.name
		}
	}
	return nil
}

// differ reports whether an attribute has another value in each of some elements,
// all of them names.
func (d *document) differ(elements []int32, name []byte) bool {
	var values [maxSample][]byte
	for n, i := range elements {
		v := d.attribute(i, name)
		if !isName(v) {
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

// attribute is the value of an attribute of an element, nil if it has none that
// is short.
func (d *document) attribute(element int32, name []byte) []byte {
	for a := attributesAt(d.b, int(d.parts[element].Start)); a.next(); {
		if bytes.Equal(a.name, name) {
			if isValue(a.value) {
				return a.value
			}
			return nil
		}
	}
	return nil
}

// isName reports whether a value can be what something is called: a word, and no
// number, formula or path of a picture.
func isName(v []byte) bool {
	return len(v) > 0 && len(v) <= maxValue && !isNumber(v) && !bytes.ContainsAny(v, " \t\r\n()[]{},;&<>\"'")
}
