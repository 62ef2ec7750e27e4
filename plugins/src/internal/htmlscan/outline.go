package htmlscan

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/room"
)

// outline makes parts of what has been found.
type outline struct {
	*scanner
	parts []part.Part
	is    []meaning // by part
	last  region    // kept for its memory
}

// meaning says what a part is.
type meaning struct {
	what what
	i    int32 // position of the heading, or where the tag of a block begins
	n    int32 // items of a block
}

type what uint8

const (
	isHead    what = iota // what stands before the first heading
	isSection             // from a heading to the next of its level
	isIntro               // what stands before the first heading in a section
	isBlock               // from a tag that begins a block or an item
	isText                // what stands before and between such
	isBody                // what a script or style holds
)

func (o *outline) add(start, end, parent int32, kind part.Kind, m meaning) int32 {
	if len(o.parts) == cap(o.parts) {
		most := 2*len(o.headings) + len(o.cuts) + 2*len(o.bodies) + 1
		o.parts, o.is = room.More(o.parts, int(start), len(o.b), most), room.More(o.is, int(start), len(o.b), most)
	}
	o.parts = append(o.parts, part.Part{Start: start, End: end, Parent: parent, Kind: kind})
	o.is = append(o.is, m)
	return int32(len(o.parts) - 1)
}

func (o *outline) build() {
	start, end := int32(len(o.b)-len(trimStart(o.b))), int32(len(o.b))
	if len(o.headings) == 0 {
		o.region(o.cuts, start, end, -1)
		if len(o.parts) == 0 {
			o.add(start, end, -1, part.Plain, meaning{what: isHead})
		}
		return
	}
	cuts := o.cuts
	if first := o.headings[0].start; start < first {
		head := o.add(start, first, -1, part.Plain, meaning{what: isHead})
		var n int
		for n < len(cuts) && cuts[n].at < first {
			n++
		}
		o.region(cuts[:n], start, first, head)
		cuts = cuts[n:]
	}
	o.sections(cuts)
}

func trimStart(b []byte) []byte {
	if len(b) >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf {
		b = b[3:]
	}
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// sections adds the sections of all headings, each with what it holds.
func (o *outline) sections(cuts []cut) {
	var open []int32 // parts
	for i, h := range o.headings {
		for len(open) > 0 && o.headings[o.is[open[len(open)-1]].i].level >= h.level {
			o.parts[open[len(open)-1]].End = h.start
			open = open[:len(open)-1]
		}
		parent := int32(-1)
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		end := int32(len(o.b))
		at := o.add(h.start, end, parent, part.Plain, meaning{what: isSection, i: int32(i)})
		open = append(open, at)
		if i+1 < len(o.headings) {
			next := o.headings[i+1]
			if end = next.start; next.level > h.level {
				at = o.add(h.start, end, at, part.Plain, meaning{what: isIntro, i: int32(i)})
			}
		}
		n := 0
		for n < len(cuts) && cuts[n].at < end {
			n++
		}
		o.region(cuts[:n], h.start, end, at)
		cuts = cuts[n:]
	}
}

// region adds the cuts of [start, end) as parts below one. The first in each part
// begins with it, and one that would be alone in a part is left out.
func (o *outline) region(cuts []cut, start, end, parent int32) {
	if len(cuts) == 0 {
		return
	}
	if cuts[0].is == atBody && start < cuts[0].at {
		cuts = append([]cut{{at: start, rank: cuts[0].rank, is: atText}}, cuts...)
	}
	r := &o.last
	r.outline, r.cuts = o, cuts
	for _, list := range []*[]int32{&r.up, &r.kids, &r.ends, &r.within, &r.starts} {
		*list = cleared(*list, len(cuts)+1)
	}
	r.nest(end)
	r.emit(start, parent)
}

// cleared is a list of n zeros, in the memory of one that is not needed any more.
func cleared(list []int32, n int) []int32 {
	if n > cap(list) {
		return make([]int32, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// region is the text between two headings on its way to be parts.
type region struct {
	*outline
	cuts   []cut
	up     []int32 // by cut: the position behind the one it lies in, 0: none
	ends   []int32 // by cut: where it ends
	kids   []int32 // by position behind a cut: how many lie right in it
	within []int32 // by position behind a cut: its part, or that of what it lies in
	starts []int32 // by position behind a cut: where it begins until its first one does, then -1
}

// nest puts cuts into those of smaller rank.
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
		r.kids[r.up[i]]++
		open = append(open, i)
	}
	closeTo(0, end)
}

// emit adds the parts.
func (r *region) emit(start, parent int32) {
	r.within[0], r.starts[0] = parent, start
	for i := range r.cuts {
		up := r.up[i]
		begin := r.cuts[i].at
		if r.starts[up] >= 0 { // the first one
			begin, r.starts[up] = r.starts[up], -1
		}
		r.starts[i+1] = begin
		if r.within[i+1] = r.within[up]; r.kids[up] > 1 {
			r.within[i+1] = r.part(i, begin, r.within[up])
		}
	}
}

// part adds that of one cut.
func (r *region) part(i int, begin, parent int32) int32 {
	c := r.cuts[i]
	m := meaning{what: isBlock, i: c.tag, n: r.kids[i+1]}
	switch c.is {
	case atText:
		m.what = isText
	case atBody:
		m.i = c.at
	}
	kind := part.Plain
	if c.rank%2 == 0 {
		kind = part.Record
	}
	at := r.add(begin, r.ends[i], parent, kind, m)
	if c.is == atBody && begin == c.at {
		if body := trim(r.b, r.bodies[c.tag]); body.start < body.end {
			r.add(body.start, body.end, at, part.Text, meaning{what: isBody, i: c.at})
		}
	}
	return at
}

// trim leaves white space out.
func trim(b []byte, s span) span {
	for s.start < s.end && isSpace(b[s.start]) {
		s.start++
	}
	for s.start < s.end && isSpace(b[s.end-1]) {
		s.end--
	}
	return s
}
