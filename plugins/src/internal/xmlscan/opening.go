package xmlscan

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
	said, telling, n := 0, 0, 0
	for a := attributesAt(s.b, start); a.next(); n++ {
		if !isNamespace(a.name) && string(local(a.name)) != "schemaLocation" {
			said += len(a.name) + len(a.value)
			telling++
		}
	}
	if said < fullTag || said < longTag && telling < 2 || len(s.parts)+1 >= s.limit { // the list is not made shorter in between
		return
	}
	at := s.add(f, isTag, start, end, depth)
	if at < 0 || end-start < splitTag || depth+1 >= s.noted || n > maxChildren || len(s.parts)+n >= s.limit {
		return
	}
	tag := frame{part: at, last: none}
	from := start
	for a := attributesAt(s.b, start); a.next(); {
		to := a.at
		if next := skip(s.b, to); s.b[next] == '>' || s.b[next] == '/' {
			to = end
		}
		s.add(&tag, isAttribute, from, to, depth+1)
		from = to
	}
}

// attributeOf is the attribute that part i is.
func (d *document) attributeOf(i int) attributes {
	a := attributesAt(d.b, int(d.parts[d.parts[i].Parent].Start))
	for a.next() && a.at <= int(d.parts[i].Start) {
	}
	return a
}
