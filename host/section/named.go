package section

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// allLine offers all elements of XML, or all keys or headings, that are called name as
// one set, if they are too many to be listed: whoever searches for a tag then need not
// open every fold of them.
func (s *searcher) allLine(name string, lim limits) (out listing) {
	if s.count <= s.d.set.MaxLines || len(s.words) != 1 || !s.d.mayCall(name) {
		return out
	}
	set, ok := s.d.one(s.allBelow(name) + "//" + abi.Segment(name))
	if !ok || set.kind != partSet || len(set.tail) > longPath {
		return out
	}
	all := "all"
	if len(set.exact) >= maxElements {
		all = "the first"
	}
	size := 0
	for i := range set.exact {
		size += s.d.partSize(&set.exact[i])
	}
	line := fmt.Appendf(nil, "[%s] %s %d %s (%s)\n", s.d.name(&set), all, len(set.exact), clean([]byte(name), titleBytes), sizeText(size))
	out.add(line, s.d.name(&set), lim)
	return out
}

// mayCall reports whether there can be something of this name in leaves.
func (d *Doc) mayCall(name string) bool {
	if d.isXML() {
		return len(tagName([]byte("<"+name))) == len(name)
	}
	return d.blockScan() != nil && len(name) <= titleBytes
}

// allBelow is the path of the innermost Section round all hits that are, or hold, an
// element that is called so.
func (s *searcher) allBelow(name string) string {
	d, first := s.d, true
	var above []int32
	for _, hits := range s.ranks {
		for i := range hits {
			switch p := &hits[i].part; {
			case !d.isCalled(p, name) && len(d.elementsBelow(p, name)) == 0:
			case first:
				above, first = d.ancestors(p.sec), false
			default:
				above = common(above, d.ancestors(p.sec))
			}
		}
	}
	if len(above) == 0 {
		return ""
	}
	return d.sectionPath(above[len(above)-1])
}

// ancestors are the Sections that hold Section i, the outermost first.
func (d *Doc) ancestors(i int32) (above []int32) {
	for up := d.owner[i]; up >= 0; up = d.owner[up] {
		above = append(above, up)
	}
	slices.Reverse(above)
	return above
}

// common is what two lists begin with.
func common(a, b []int32) []int32 {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
