package syntax

import (
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Parts of tiny elements take more memory than the text. These limits keep them to
// about the memory of the text, and to one to eight times the number of sections.
const (
	bytesPerPart = 14
	minParts     = MaxChildren
	maxParts     = 1 << 19
)

// sampleSize is the number of bytes from which the number of tags is estimated.
const sampleSize = 1 << 16

// reserve allocates the parts at once, because growing the list would take as much
// memory again.
func (s *scanner) reserve() {
	s.limit = min(max(len(s.b)/bytesPerPart, minParts), maxParts)
	n := countTags(s.b[:min(len(s.b), sampleSize)])
	if len(s.b) > sampleSize {
		n = n * (len(s.b) >> 10) / (sampleSize >> 10)
	}
	n = min(n+n/4+64, s.limit) // texts between elements are parts too
	s.parts, s.forms = make([]part.Part, 0, n), make([]Form, 0, n)
}

// addPart adds a part of an element and returns its position. It returns -1 if the
// part is too deep, or if there are too many children to name them.
func (s *scanner) addPart(f *frame, form Form, start, end, depth int) int32 {
	if f.tagEnd > 0 && f.part >= 0 {
		s.addStartTag(f, depth)
	}
	if len(s.parts) == s.limit {
		s.shrink()
	}
	if depth >= s.levels || f.part < 0 && depth > 0 || f.children > MaxChildren {
		return -1
	}
	f.children++
	if f.children > MaxChildren && depth > 0 {
		s.dropChildren(f)
		return -1
	}
	s.parts = append(s.parts, part.Part{Start: int32(start), End: int32(end), Parent: f.part})
	s.forms = append(s.forms, form)
	return int32(len(s.parts) - 1)
}

// dropChildren removes the parts inside an element.
func (s *scanner) dropChildren(f *frame) {
	s.parts, s.forms, f.last = s.parts[:f.part+1], s.forms[:f.part+1], none
	s.wide = slices.DeleteFunc(s.wide, func(w Wide) bool { return w.Part > f.part })
}

// shrink removes the parts of the deepest levels until at most three quarters are
// left, and sets s.levels so that no more parts of those levels are added.
func (s *scanner) shrink() {
	level := make([]uint8, len(s.parts))
	var count [MaxLevels]int
	for i, p := range s.parts {
		if p.Parent >= 0 {
			level[i] = level[p.Parent] + 1
		}
		count[level[i]]++
	}
	s.levels = 0
	for n := count[0]; n <= s.limit/4*3; n += count[s.levels] {
		s.levels++
	}
	to := make([]int32, len(s.parts)) // new positions, -1 for removed parts
	kept := s.parts[:0]
	for i, p := range s.parts {
		if to[i] = -1; int(level[i]) < s.levels {
			to[i] = int32(len(kept))
			if p.Parent >= 0 {
				p.Parent = to[p.Parent]
			}
			s.forms[len(kept)] = s.forms[i]
			kept = append(kept, p)
		}
	}
	s.parts, s.forms = kept, s.forms[:len(kept)]
	s.wide = slices.DeleteFunc(s.wide, func(w Wide) bool { return int(level[w.Part])+1 >= s.levels })
	for i := range s.wide {
		s.wide[i].Part = to[s.wide[i].Part]
	}
	for i := range s.open {
		f := &s.open[i]
		if f.last = none; f.part >= 0 {
			f.part = to[f.part]
		}
	}
}

// Sizes in bytes from which a start tag becomes a part.
const (
	minTag        = 40   // of the attributes, if there are several
	minAttributes = 100  // of the attributes, if there is one
	longTag       = 1000 // of a tag; its attributes are parts too, even in an empty element
)

// addStartTag adds a part for the start tag of an element, before its other parts, if
// the attributes are long. Shorter tags are structure, and so are namespaces.
func (s *scanner) addStartTag(f *frame, depth int) {
	start, end := int(s.parts[f.part].Start), int(f.tagEnd)
	f.tagEnd = 0
	size, informative, n := 0, 0, 0
	for a := AttributesAt(s.b, start); a.Next(); n++ {
		if IsInformative(a.Name) {
			size += len(a.Name) + len(a.Value)
			informative++
		}
	}
	if size < minTag || size < minAttributes && informative < 2 || len(s.parts)+1 >= s.limit { // addPart must not shrink the list
		return
	}
	at := s.addPart(f, StartTag, start, end, depth)
	if at < 0 || end-start < longTag || depth+1 >= s.levels || n > MaxChildren || len(s.parts)+n >= s.limit {
		return
	}
	tag := frame{part: at, last: none}
	from := start
	for a := AttributesAt(s.b, start); a.Next(); {
		to := a.At
		if next := SkipSpace(s.b, to); s.b[next] == '>' || s.b[next] == '/' {
			to = end
		}
		s.addPart(&tag, Attribute, from, to, depth+1)
		from = to
	}
}

// AttributeOf returns the attribute that part i is.
func (t *Tree) AttributeOf(i int) Attributes {
	a := AttributesAt(t.Text, int(t.Parts[t.Parts[i].Parent].Start))
	for a.Next() && a.At <= int(t.Parts[i].Start) {
	}
	return a
}
