package xmlscan

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// maxValue is the size in bytes up to which a value names an element.
const maxValue = 60

// name says what part i is called.
func (d *document) name(i int, n *part.Name) {
	p := d.parts[i]
	whole := d.b[p.Start:p.End]
	switch {
	case p.Kind == part.Group:
		g := d.groups[int32(i)]
		n.ID, n.Title = append(n.ID, g.id...), append(n.Title, g.title...)
	case bytes.HasPrefix(whole, []byte("<!--")):
		n.ID, n.Title = append(n.ID, "#comment"...), appendRaw(n.Title, bytes.TrimSuffix(whole[4:], []byte("-->")), "comment")
	case bytes.HasPrefix(whole, []byte("<![CDATA[")):
		n.ID, n.Title = append(n.ID, "#cdata"...), appendRaw(n.Title, bytes.TrimSuffix(whole[9:], []byte("]]>")), "CDATA")
	case d.isOpening(i):
		n.ID, n.Title = append(n.ID, "#tag"...), appendRaw(n.Title, whole, "tag")
	case d.isElement(i):
		var used []byte
		n.ID, used = d.id(n.ID, i)
		n.Title = d.title(n.Title, i, used)
	default:
		if a, ok := d.attributeOf(i); ok {
			n.ID, n.Title = append(n.ID, a.name...), appendRaw(n.Title, a.value, "empty")
			return
		}
		n.ID, n.Title = append(n.ID, "#text"...), appendText(n.Title, whole, "text")
	}
}

func (d *document) isElement(i int) bool {
	return isTag(d.b[d.parts[i].Start:d.parts[i].End]) && !d.inOpening(i)
}

func (d *document) tagOf(i int) []byte { return tagName(d.b, int(d.parts[i].Start)) }

// isTag reports whether a part is an element: all that is no markup is text.
func isTag(b []byte) bool { return len(b) > 1 && b[0] == '<' && class[b[1]]&nameStart != 0 }

// id appends the tag of element i, and which of its kind it is where it says so.
// It returns that value.
func (d *document) id(dst []byte, i int) (id, used []byte) {
	p := d.parts[i]
	dst = append(dst, tagName(d.b, int(p.Start))...)
	if p.Parent < 0 {
		return dst, nil
	}
	if used = d.called(i); used != nil {
		dst = append(append(dst, '='), used...)
	}
	return dst, used
}

// called is the value that tells which of its kind element i is, nil if nothing
// does.
func (d *document) called(i int) []byte {
	p := d.parts[i]
	if v := attributeID(d.b, int(p.Start)); v != nil {
		return v
	}
	if v := d.keyBefore(i); v != nil || p.Kind != part.Record {
		return v
	}
	return d.childID(i)
}

// names are what attributes and children that name an element are called, best
// first.
var names = []string{"name", "id", "key", "title", "include", "text"}

// attributeID is the value of the attribute that names the element at b[at].
func attributeID(b []byte, at int) (value []byte) {
	best := len(names)
	attributes(b, at, func(a attribute) bool {
		if rank := rank(names[:best], local(a.name)); rank >= 0 && isValue(a.value) && !isNamespace(a.name) {
			best, value = rank, a.value
		}
		return best > 0
	})
	return value
}

// rank is the position of a name, in letters of any case, -1 if it is not listed.
func rank(names []string, name []byte) int {
	for i, n := range names {
		if len(n) == len(name) && n[0] == name[0]|0x20 && strings.EqualFold(n, string(name)) {
			return i
		}
	}
	return -1
}

// local is a name without its prefix.
func local(name []byte) []byte { return name[bytes.LastIndexByte(name, ':')+1:] }

func isNamespace(name []byte) bool { return bytes.HasPrefix(name, []byte("xmlns")) }

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
	if i == 0 || d.parts[i-1].Parent != d.parts[i].Parent || !d.isKey(i-1) || d.isKey(i) {
		return nil
	}
	if gap := d.b[d.parts[i-1].End:max(d.parts[i].Start, d.parts[i-1].End)]; len(bytes.TrimLeft(gap, " \t\r\n")) > 0 {
		return nil
	}
	return d.value(i - 1)
}

func (d *document) isKey(i int) bool {
	p := d.parts[i]
	return p.Kind != part.Group && !d.inOpening(i) && d.b[p.Start] == '<' && string(tagName(d.b, int(p.Start))) == "key"
}

// value is the text of an element that holds nothing else, if it is short enough
// to name something.
func (d *document) value(i int) []byte {
	p := d.parts[i]
	b := d.b[p.Start:p.End]
	if !isTag(b) || i+1 < len(d.parts) && int(d.parts[i+1].Parent) == i || len(b) > 4*maxValue {
		return nil
	}
	inner := bytes.Trim(inside(b), " \t\r\n")
	if !isValue(inner) {
		return nil
	}
	return inner
}

// inside is what stands between the tags of an element.
func inside(b []byte) []byte {
	t, ok := readTag(b, 0)
	if !ok || t.empty {
		return nil
	}
	if end := bytes.LastIndex(b, []byte("</")); end >= t.end {
		return b[t.end:end]
	}
	return b[t.end:]
}

// maxAsked is how many children are asked for the name of their element.
const maxAsked = 8

// childID is the text of a child that names element i: one that is called so,
// else the last of those in a row that are called somethingId or somethingName,
// as coordinates go from the general to the special.
func (d *document) childID(i int) (value []byte) {
	best, asked := len(names), 0
	for j := range d.children(i) {
		if asked++; asked > maxAsked || best == 0 {
			break
		}
		tag := local(d.tagOf(j))
		rank := rank(names[:best], tag)
		if rank < 0 && best == len(names) && (bytes.HasSuffix(tag, []byte("Id")) || bytes.HasSuffix(tag, []byte("Name"))) {
			rank = best
		}
		if v := d.value(j); rank >= 0 && v != nil {
			best, value = rank, v
		}
	}
	return value
}

// children yields the parts right inside part i, those in groups too.
func (d *document) children(i int) func(yield func(j int) bool) {
	return func(yield func(j int) bool) {
		for j := i + 1; j < len(d.parts) && int(d.parts[j].Parent) >= i; j++ {
			up := d.parts[j].Parent
			for int(up) > i && d.parts[up].Kind == part.Group {
				up = d.parts[up].Parent
			}
			if int(up) == i && d.parts[j].Kind != part.Group && !yield(j) {
				return
			}
		}
	}
}
