package xmlscan

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	// longTag is the size in bytes of attributes from which on a start tag is a
	// part of the element that it opens, and fullTag that of several ones: shorter
	// ones are structure.
	longTag, fullTag = 100, 40
	// splitTag is the size of a start tag from which on its attributes are parts,
	// also in an element without any others.
	splitTag = 1000
)

// opening notes the start tag of an element, before its first part, if it tells
// much. Namespaces tell nothing.
func (s *scanner) opening(f *frame, depth int) {
	start, end := int(s.parts[f.part].Start), int(f.tagEnd)
	f.tagEnd = 0
	if end-start < fullTag {
		return
	}
	said, telling, n := 0, 0, 0
	attributes(s.b, start, func(a attribute) bool {
		if !isNamespace(a.name) && string(local(a.name)) != "schemaLocation" {
			said += len(a.name) + len(a.value)
			telling++
		}
		n++
		return true
	})
	if said < fullTag || said < longTag && telling < 2 || len(s.parts)+n >= maxParts { // the list is not made shorter in between
		return
	}
	at := s.add(f, start, end, depth)
	if at < 0 || end-start < splitTag || depth+1 >= s.noted || n > maxChildren {
		return
	}
	tag := frame{part: at, last: none}
	from := start
	attributes(s.b, start, func(a attribute) bool {
		to := a.next
		if next := skip(s.b, to); s.b[next] == '>' || s.b[next] == '/' {
			to = end
		}
		s.add(&tag, from, to, depth+1)
		from = to
		return to < end
	})
}

// isOpening reports whether part i is the start tag of the element that it is in:
// all other parts of an element begin behind it.
func (d *document) isOpening(i int) bool {
	p := d.parts[i]
	return p.Parent >= 0 && d.parts[p.Parent].Kind != part.Group && p.Start == d.parts[p.Parent].Start &&
		!d.isOpening(int(p.Parent))
}

// attributeOf is the attribute that part i is.
func (d *document) attributeOf(i int) (found attribute, ok bool) {
	p := d.parts[i]
	if p.Parent < 0 || d.parts[p.Parent].Kind == part.Group || !d.isOpening(int(p.Parent)) {
		return found, false
	}
	attributes(d.b, int(d.parts[p.Parent].Start), func(a attribute) bool {
		found = a
		return a.next <= int(p.Start)
	})
	return found, true
}

// inOpening reports whether part i is a start tag or an attribute in it.
func (d *document) inOpening(i int) bool {
	up := int(d.parts[i].Parent)
	return d.isOpening(i) || up >= 0 && d.parts[up].Kind != part.Group && d.isOpening(up)
}
