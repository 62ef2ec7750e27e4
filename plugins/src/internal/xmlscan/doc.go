// Package xmlscan finds the elements of XML as byte spans.
//
// Scan reads a text once and proves that its tags balance to the end. It knows
// as much of XML as that takes: quoted values, comments, CDATA, processing
// instructions and document types. It resolves nothing: neither entities nor
// namespaces, so an entity bomb is a text as any other. Whether attributes are
// unique or characters allowed is not its business.
package xmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxNoted    = 64      // levels of elements that are parts at most
	maxDepth    = 1 << 17 // levels of elements that are read
	maxChildren = 1 << 16 // of one element; the sections of a content are as many at most
)

// Scan is the part.Scan of XML. Forced takes texts whose tags do not balance: a
// "<" that begins nothing is text, an element that is not closed ends with what
// holds it.
//
// XHTML is well-formed and no document of XML to a reader: it is refused unless
// forced.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	s := &scanner{b: b, lenient: c.Forced, at: len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))}
	if !s.begins() || !s.scan() || s.elements == 0 {
		return nil, false
	}
	if !c.Forced && bytes.EqualFold(tagName(b, s.root), []byte("html")) {
		return nil, false
	}
	d := &document{b: b, parts: s.parts, what: s.what, tags: s.tags.list}
	for _, w := range s.wide {
		d.what[w.part] |= isWide
	}
	d.distinguish()
	granted := d.group(s.wide, c.GroupBy)
	doc := &part.Doc{Count: caption.Count(s.elements, "element"), Parts: d.parts, Name: d.name, Grouped: granted}
	doc.Lines = declaration(b)
	if line := rootLine(b, s.root); line != "" {
		doc.Lines = append(doc.Lines, line)
	}
	if d.headed = d.alone(); d.headed >= 0 {
		if line := d.fields(d.headed); line != "" {
			doc.Lines = append(doc.Lines, line)
		}
	}
	return doc, true
}

// document names the parts of a text.
type document struct {
	b      []byte
	parts  []part.Part
	what   []what // by part
	tags   []tag
	groups []group
	headed int // the element whose fields are told above the index, -1: none
}

// alone is the element with many children that the index begins with: the root,
// or what it holds alone, -1 if there is none.
func (d *document) alone() int {
	at := 0
	for at < len(d.parts) && !d.isElement(at) { // comments before the root
		at++
	}
	for at < len(d.parts) && d.what[at]&isWide == 0 {
		only := len(d.parts)
		for j := d.first(at); d.holds(at, j); j = d.next(j) {
			if !d.isElement(j) {
				continue
			}
			if only < len(d.parts) {
				return -1
			}
			only = j
		}
		at = only
	}
	if at == len(d.parts) {
		return -1
	}
	return at
}

func (d *document) isElement(i int) bool { return d.what[i] >= isElement }

// tagNumber is 0 for tags that are not told apart by number.
func (d *document) tagNumber(i int) what { return d.what[i]&^isWide - isElement }

// tagOf is the name of element i.
func (d *document) tagOf(i int) []byte {
	if w := d.tagNumber(i); w > 0 {
		t := &d.tags[w]
		return d.b[t.start:t.end]
	}
	return tagName(d.b, int(d.parts[i].Start))
}

// rank is how well the tag of part i says that its text names what it is in.
func (d *document) rank(i int) int8 {
	if !d.isElement(i) {
		return unnamed
	}
	return d.tags[d.tagNumber(i)].rank
}

// sameTag reports whether two elements have the same tag.
func (d *document) sameTag(i, j int) bool {
	w, v := d.tagNumber(i), d.tagNumber(j)
	if w > 0 && v > 0 {
		return w == v
	}
	return bytes.Equal(d.tagOf(i), d.tagOf(j))
}

// first is the position of the first part inside part i, if there is one: see
// holds. Its groups stand before it.
func (d *document) first(i int) int {
	for i++; i < len(d.parts) && d.parts[i].Kind == part.Group; i++ {
	}
	return i
}

// next is the position behind part i and what is in it.
func (d *document) next(i int) int {
	end := d.parts[i].End
	for i++; i < len(d.parts) && d.parts[i].Start < end; i++ { // groups are at 0
	}
	return i
}

// holds reports whether there is a part j, and it is inside part i, which stands
// before it.
func (d *document) holds(i, j int) bool {
	return j < len(d.parts) && d.parts[j].Start < d.parts[i].End
}

// owner is the element that holds part i, -1 if none does.
func (d *document) owner(i int) int {
	up := int(d.parts[i].Parent)
	for up >= 0 && d.parts[up].Kind == part.Group {
		up = int(d.parts[up].Parent)
	}
	return up
}
