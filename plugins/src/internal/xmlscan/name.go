package xmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxValue is the size in bytes up to which a value names an element.
const maxValue = 60

// name says what part i is called.
func (d *document) name(i int, n *part.Name) {
	p := d.parts[i]
	switch whole := d.b[p.Start:p.End]; d.what[i] {
	case isGroup:
		g := d.groupAt(i)
		n.ID, n.Title = append(n.ID, g.id...), append(n.Title, g.title...)
	case isComment:
		n.ID, n.Title = append(n.ID, "#comment"...), appendRaw(n.Title, bytes.TrimSuffix(whole[4:], []byte("-->")), "comment")
	case isCDATA:
		n.ID, n.Title = append(n.ID, "#cdata"...), appendRaw(n.Title, bytes.TrimSuffix(whole[9:], []byte("]]>")), "CDATA")
	case isTag:
		n.ID, n.Title = append(n.ID, "#tag"...), appendRaw(n.Title, whole, "tag")
	case isAttribute:
		a := d.attributeOf(i)
		n.ID, n.Title = append(n.ID, a.name...), appendRaw(n.Title, a.value, "empty")
	case isText:
		n.ID, n.Title = append(n.ID, "#text"...), appendText(n.Title, whole, "text")
	default:
		d.element(i, n)
	}
}

// element says what element i is called: its tag, and which of its kind it is
// where something says so.
func (d *document) element(i int, n *part.Name) {
	tag := d.tagOf(i)
	var used []byte
	n.ID = append(n.ID, tag...)
	if d.parts[i].Parent >= 0 {
		if used = d.called(i, tag); used != nil {
			n.ID = append(append(n.ID, '='), used...)
		}
	}
	n.Title = d.title(n.Title, i, tag, used)
	if d.what[i]&isWide != 0 && i != d.headed && d.parts[i].Size() >= leastFields {
		n.Summary = append(n.Summary, d.fields(i)...)
	}
}

// called is the value that tells which of its kind element i is, nil if nothing
// does.
func (d *document) called(i int, tag []byte) []byte {
	p := d.parts[i]
	if v := attributeID(d.b, int(p.Start)+1+len(tag)); v != nil {
		return v
	}
	if v := d.keyBefore(i); v != nil || p.Kind != part.Record {
		return v
	}
	if v, _ := d.childID(i); v != nil {
		return v
	}
	if j := d.first(i); d.holds(i, j) && d.isElement(j) {
		if v, rank := d.childID(j); rank < partOfName { // what it is is told in a head
			return v
		}
	}
	if by := d.tags[d.tagNumber(i)].by; by != nil {
		if v := d.attribute(int32(i), by); isName(v) {
			return v
		}
	}
	return nil
}

// attributeID is the value of the attribute that names an element whose tag's
// name ends at b[at].
func attributeID(b []byte, at int) (value []byte) {
	best := partOfName
	for a := (attributes{b: b, at: at}); best > 0 && a.next(); {
		if isNamespace(a.name) {
			continue
		}
		if rank := rankOf(local(a.name)); rank < best && isValue(a.value) {
			best, value = rank, a.value
		}
	}
	return value
}

// isValue reports whether a value can stand in an id.
func isValue(v []byte) bool {
	if len(v) > maxValue {
		return false
	}
	for _, c := range v {
		if c < ' ' || c == '<' {
			return false
		}
	}
	return len(v) > 0
}

// keyBefore is the text of an element "key" right before element i, as in
// property lists.
func (d *document) keyBefore(i int) []byte {
	if i == 0 || d.parts[i-1].End > d.parts[i].Start || !d.isKey(i-1) || d.owner(i-1) != d.owner(i) || d.isKey(i) {
		return nil
	}
	if from := int(d.parts[i-1].End); skip(d.b, from) < int(d.parts[i].Start) {
		return nil
	}
	return d.value(i-1, len("key"))
}

func (d *document) isKey(i int) bool {
	return d.rank(i) == keyRank && string(d.tagOf(i)) == "key"
}

// value is the text of an element that holds nothing else, if it is short enough
// to name something; n is the size of its tag's name.
func (d *document) value(i, n int) []byte {
	if d.parts[i].Size() > 4*maxValue || !d.isElement(i) {
		return nil
	}
	text := d.textOf(i, n)
	for len(text) > 0 && class[text[len(text)-1]]&space != 0 {
		text = text[:len(text)-1]
	}
	if !isValue(text) {
		return nil
	}
	return text
}

// textOf is the text of an element that holds nothing else, or just one CDATA.
func (d *document) textOf(i, n int) []byte {
	p := d.parts[i]
	text := d.b[p.Start:p.End]
	switch {
	case !d.holds(i, i+1):
		text = inside(text, n)
	case d.what[i+1] == isCDATA && !d.holds(i, i+2):
		text = d.b[d.parts[i+1].Start+int32(len("<![CDATA[")) : d.parts[i+1].End-int32(len("]]>"))]
	default:
		return nil
	}
	return text[skip(text, 0):]
}

// inside is what stands between the tags of an element; n is the size of their
// name.
func inside(b []byte, n int) []byte {
	start, empty := n+2, false
	if n+1 == len(b) || b[n+1] != '>' {
		if start, empty = endOfTag(b, n+1); start < 0 || empty {
			return nil
		}
	}
	if end := len(b) - n - len("</>"); end >= start && b[end] == '<' && b[end+1] == '/' {
		return b[start:end]
	}
	if end := bytes.LastIndex(b, []byte("</")); end >= start { // white space behind the name
		return b[start:end]
	}
	return b[start:]
}

// maxAsked is how many children are asked for the name of their element.
const maxAsked = 8

// childID is the text of a child that names element i: one that is called so,
// else the last of those in a row that are called somethingId or somethingName,
// as coordinates go from the general to the special.
func (d *document) childID(i int) (value []byte, best int8) {
	best = unnamed
	j := d.first(i)
	for asked := 0; asked < maxAsked && best > 0 && d.holds(i, j); asked++ {
		if rank := d.rank(j); rank < best || rank == best && rank == partOfName {
			if v := d.value(j, len(d.tagOf(j))); v != nil {
				best, value = rank, v
			}
		}
		j = d.next(j)
	}
	return value, best
}
