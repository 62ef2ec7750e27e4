package htmlscan

import "github.com/mcpctl/mcpctl/plugins/src/internal/part"

// outline makes parts of what has been found.
type outline struct {
	*scanner
	parts []part.Part
	is    []meaning // by part
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
	o.parts, o.is = append(o.parts, part.Part{Start: start, End: end, Parent: parent, Kind: kind}), append(o.is, m)
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
	if cuts[0].body != (span{}) && start < cuts[0].at {
		cuts = append([]cut{{at: start, rank: cuts[0].rank, text: true}}, cuts...)
	}
	r := region{outline: o, cuts: cuts, up: make([]int32, len(cuts)), kids: make([]int32, len(cuts)+1), ends: make([]int32, len(cuts))}
	r.nest(end)
	r.emit(start, parent)
}

// region is the text between two headings on its way to be parts.
type region struct {
	*outline
	cuts []cut
	up   []int32 // by cut: the position behind the one it lies in, 0: none
	kids []int32 // by position behind a cut: how many lie right in it
	ends []int32 // by cut: where it ends
}

// nest puts cuts into those of smaller rank.
func (r *region) nest(end int32) {
	var open []int
	closeTo := func(rank, at int32) {
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
	parts := make([]int32, len(r.cuts)+1) // by position behind a cut: its part, or that of what it lies in
	starts := make([]int32, len(r.cuts)+1)
	parts[0], starts[0] = parent, start
	for i, c := range r.cuts {
		up := r.up[i]
		begin := c.at
		if starts[up] >= 0 { // the first one
			begin, starts[up] = starts[up], -1
		}
		starts[i+1] = begin
		if parts[i+1] = parts[up]; r.kids[up] > 1 {
			parts[i+1] = r.part(i, begin)
			r.parts[parts[i+1]].Parent = parts[up]
		}
	}
}

// part adds that of one cut.
func (r *region) part(i int, begin int32) int32 {
	c := r.cuts[i]
	m := meaning{what: isBlock, i: c.tag, n: r.kids[i+1]}
	if c.text {
		m.what = isText
	}
	kind := part.Plain
	if c.rank%2 == 0 {
		kind = part.Record
	}
	at := r.add(begin, r.ends[i], -1, kind, m)
	if c.body.start < c.body.end && begin == c.at {
		if body := trim(r.b, c.body); body.start < body.end {
			r.add(body.start, body.end, at, part.Text, meaning{what: isBody, i: c.tag})
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
