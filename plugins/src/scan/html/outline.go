package html

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// outline turns headings and cuts into parts.
type outline struct {
	*scanner
	parts []part.Part
	roles []role // by part
	last  region // kept for its memory
}

// role describes the source of a part.
type role struct {
	kind  roleKind
	at    int32 // position of the heading, or offset of the tag of a block
	items int32 // of a block
}

type roleKind uint8

const (
	head      roleKind = iota // before the first heading
	section                   // from a heading to the next of its level
	intro                     // before the first heading in a section
	blockPart                 // from the tag of a block or an item
	textPart                  // before or between those
	bodyPart                  // the content of a script or style
)

// addPart adds a part and returns its position.
func (o *outline) addPart(start, end, parent int32, kind part.Kind, r role) int32 {
	if len(o.parts) == cap(o.parts) {
		most := 2*len(o.headings) + len(o.cuts) + 2*len(o.bodies) + 1
		o.parts, o.roles = grow.Slice(o.parts, int(start), len(o.b), most), grow.Slice(o.roles, int(start), len(o.b), most)
	}
	o.parts = append(o.parts, part.Part{Start: start, End: end, Parent: parent, Kind: kind})
	o.roles = append(o.roles, r)
	return int32(len(o.parts) - 1)
}

// build adds all parts.
func (o *outline) build() {
	start, end := int32(len(o.b)-len(trimStart(o.b))), int32(len(o.b))
	if len(o.headings) == 0 {
		o.addRegion(o.cuts, start, end, -1)
		if len(o.parts) == 0 {
			o.addPart(start, end, -1, part.Plain, role{kind: head})
		}
		return
	}
	cuts := o.cuts
	if first := o.headings[0].start; start < first {
		at := o.addPart(start, first, -1, part.Plain, role{kind: head})
		n := countBefore(cuts, first)
		o.addRegion(cuts[:n], start, first, at)
		cuts = cuts[n:]
	}
	o.addSections(cuts)
}

// trimStart returns b without a byte order mark and white space at its start.
func trimStart(b []byte) []byte {
	if len(b) >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf {
		b = b[3:]
	}
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// countBefore returns the number of cuts before an offset.
func countBefore(cuts []cut, offset int32) int {
	n := 0
	for n < len(cuts) && cuts[n].at < offset {
		n++
	}
	return n
}

// addSections adds the sections of all headings and the parts inside them.
func (o *outline) addSections(cuts []cut) {
	var open []int32 // parts
	for i, h := range o.headings {
		for len(open) > 0 && o.headings[o.roles[open[len(open)-1]].at].level >= h.level {
			o.parts[open[len(open)-1]].End = h.start
			open = open[:len(open)-1]
		}
		parent := int32(-1)
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		end := int32(len(o.b))
		at := o.addPart(h.start, end, parent, part.Plain, role{kind: section, at: int32(i)})
		open = append(open, at)
		if i+1 < len(o.headings) {
			next := o.headings[i+1]
			if end = next.start; next.level > h.level {
				at = o.addPart(h.start, end, at, part.Plain, role{kind: intro, at: int32(i)})
			}
		}
		n := countBefore(cuts, end)
		o.addRegion(cuts[:n], h.start, end, at)
		cuts = cuts[n:]
	}
}

// addRegion adds the cuts of [start, end) as parts inside parent. The first cut in each
// part extends to the start of that part. A cut that would be the only one in a part is
// left out.
func (o *outline) addRegion(cuts []cut, start, end, parent int32) {
	if len(cuts) == 0 {
		return
	}
	if cuts[0].kind == atBody && start < cuts[0].at {
		cuts = append([]cut{{at: start, rank: cuts[0].rank, kind: atText}}, cuts...)
	}
	r := &o.last
	r.outline, r.cuts = o, cuts
	for _, list := range []*[]int32{&r.up, &r.children, &r.ends, &r.parents, &r.starts} {
		*list = resize(*list, len(cuts)+1)
	}
	r.nest(end)
	r.addParts(start, parent)
}

// resize returns a list of n zeros. It reuses the memory of a list if possible.
func resize(list []int32, n int) []int32 {
	if n > cap(list) {
		return make([]int32, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// region is the text between two headings.
//
// Lists by node are indexed by the position of a cut plus one; node 0 is the region.
type region struct {
	*outline
	cuts     []cut
	up       []int32 // by cut: the node that contains it
	ends     []int32 // by cut: its end
	children []int32 // by node: number of cuts right inside it
	parents  []int32 // by node: its part, or the part that contains it
	starts   []int32 // by node: its start, or -1 after its first cut
}

// nest assigns each cut to the nearest earlier cut of a lower rank.
func (r *region) nest(end int32) {
	var open []int
	closeTo := func(rank int8, at int32) {
		for len(open) > 0 && r.cuts[open[len(open)-1]].rank >= rank {
			r.ends[open[len(open)-1]] = at
			open = open[:len(open)-1]
		}
	}
	for i, c := range r.cuts {
		closeTo(c.rank, c.at)
		if len(open) > 0 {
			r.up[i] = int32(open[len(open)-1] + 1)
		}
		r.children[r.up[i]]++
		open = append(open, i)
	}
	closeTo(0, end)
}

// addParts adds the parts of the cuts.
func (r *region) addParts(start, parent int32) {
	r.parents[0], r.starts[0] = parent, start
	for i := range r.cuts {
		up := r.up[i]
		begin := r.cuts[i].at
		if r.starts[up] >= 0 { // the first cut
			begin, r.starts[up] = r.starts[up], -1
		}
		r.starts[i+1] = begin
		if r.parents[i+1] = r.parents[up]; r.children[up] > 1 {
			r.parents[i+1] = r.addCutPart(i, begin, r.parents[up])
		}
	}
}

// addCutPart adds the part of one cut.
func (r *region) addCutPart(i int, begin, parent int32) int32 {
	c := r.cuts[i]
	of := role{kind: blockPart, at: c.tag, items: r.children[i+1]}
	switch c.kind {
	case atText:
		of.kind = textPart
	case atBody:
		of.at = c.at
	}
	kind := part.Plain
	if c.rank%2 == 0 {
		kind = part.Record
	}
	at := r.addPart(begin, r.ends[i], parent, kind, of)
	if c.kind == atBody && begin == c.at {
		if body := trimSpace(r.b, r.bodies[c.tag]); body.start < body.end {
			r.addPart(body.start, body.end, at, part.Text, role{kind: bodyPart, at: c.at})
		}
	}
	return at
}

// trimSpace returns s without white space at its ends.
func trimSpace(b []byte, s span) span {
	for s.start < s.end && isSpace(b[s.start]) {
		s.start++
	}
	for s.start < s.end && isSpace(b[s.end-1]) {
		s.end--
	}
	return s
}
