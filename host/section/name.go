package section

import (
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// longPath is from where on a path is not printed whole: it is on every line of an
// index, and all but its end tells those lines from none. It then begins at the
// bytes of a Section that it leads through, by which any reader may name any part.
const longPath = 120

// name is the id that a line offers for p and _meta tells: its path, or where
// that is too long the bytes it stands at.
func (d *Doc) name(p *part) string { return closed(d.shortPath(p)) }

// closed ends a path that ends with an empty key by a slash more: readers may
// end any path by one.
func closed(path string) string {
	if strings.HasSuffix(path, "/") {
		path += "/"
	}
	return path
}

func (d *Doc) shortPath(p *part) string {
	if path := d.path(p); len(path) <= longPath {
		return path
	}
	switch p.kind {
	case partFold, partRange:
		return join(d.shortPath(p.base), d.tail(p))
	case partSection:
		return d.anchored(p, "")
	case partGap:
		return d.anchored(p, "/"+gapID(p.from))
	}
	return place(p)
}

// anchored is a path to p, tail below its Section, that begins at the bytes of a
// Section above it: where the path from the root, or from the last of these, gets too
// long, it begins anew at the Section that it has reached.
func (d *Doc) anchored(p *part, tail string) string {
	var chain []int32
	for i := p.sec; i >= 0; i = d.owner[i] {
		chain = append(chain, i)
	}
	path, from := "", ""
	for n := len(chain) - 1; n >= 0; n-- {
		i := chain[n]
		if more := "/" + d.sections[i].ID; len(path)+len(more)+len(tail) <= longPath || n+1 == len(chain) || !d.isAnchor(chain[n+1]) {
			path += more
			continue
		}
		above := d.part(chain[n+1])
		from, path = place(&above), "/"+d.sections[i].ID
	}
	if path = join(from, path+tail); len(path) > 2*longPath && p.space != nil && p.space.kind != flow.AnswerDerived {
		return place(p)
	}
	return path
}

// isAnchor reports whether the bytes of Section i name it: there are some, and what it
// lies in has more.
func (d *Doc) isAnchor(i int32) bool {
	if s := &d.sections[i]; d.hasPlace(int(i)) && s.Start < s.End {
		home := d.home[i]
		return home < 0 || d.sections[home].Kind != s.Kind || d.sections[home].Start != s.Start || d.sections[home].End != s.End
	}
	return false
}

// place names a part by its bytes.
func place(p *part) string {
	if p.space.kind == flow.AnswerDecoded {
		return "~D" + strconv.Itoa(p.space.literal[0]) + ":" + span(p)
	}
	return "~B" + span(p)
}

func span(p *part) string { return strconv.Itoa(p.start) + "-" + strconv.Itoa(p.end) }

// path is the whole path from the root; the root's is empty.
func (d *Doc) path(p *part) string {
	switch p.kind {
	case partSection:
		return d.sectionPath(p.sec)
	case partGap:
		return join(d.sectionPath(p.sec), "/"+gapID(p.from))
	case partSet:
		return p.tail
	}
	return join(d.path(p.base), d.tail(p))
}

func (d *Doc) tail(p *part) string {
	if p.kind == partFold {
		return "/" + d.foldID(p)
	}
	return p.tail
}

// join puts a tail, which begins with its sign, behind a path.
func join(path, tail string) string {
	switch {
	case path == "" && !strings.HasPrefix(tail, "//"): // else an empty key is the first
		return strings.TrimPrefix(tail, "/")
	case strings.HasPrefix(tail, "!"):
		return closed(path) + tail
	}
	return path + tail
}

func (d *Doc) sectionPath(i int32) string {
	if i < 0 {
		return ""
	}
	var ids [maxDepth]string
	n := len(ids)
	for ; i >= 0; i = d.owner[i] {
		n--
		ids[n] = d.sections[i].ID
	}
	return strings.Join(ids[n:], "/")
}

// segment is the last segment of a part's path.
func (d *Doc) segment(p *part) string {
	switch p.kind {
	case partSection:
		if p.sec >= 0 {
			return d.sections[p.sec].ID
		}
	case partGap:
		return gapID(p.from)
	}
	return ""
}

// bytesNamed reads ~B and ~D names: a Section of just these bytes, else the
// bytes themselves.
func (d *Doc) bytesNamed(seg string) (part, bool) {
	sp, kind := d.original, abi.SectionExact
	rest, ok := strings.CutPrefix(seg, "~B")
	if !ok {
		var literal int
		if literal, rest, ok = cutNumber(seg, "~D"); !ok || !strings.HasPrefix(rest, ":") {
			return part{}, false
		}
		sp, kind, rest = d.literalAt(literal), abi.SectionDecoded, rest[1:]
	}
	start, rest, ok := cutNumber(rest, "")
	end, rest, ok2 := cutNumber(rest, "-")
	if sp == nil || !ok || !ok2 || rest != "" || start >= end || end > len(sp.text) {
		return part{}, false
	}
	for i := range d.sections {
		s := &d.sections[i]
		if s.Kind == kind && s.Start == start && s.End == end && (kind == abi.SectionExact || d.literals[s.Literal] == sp) {
			return d.part(int32(i)), true
		}
	}
	if !isBorder(sp.text, start) || !isBorder(sp.text, end) {
		return part{}, false
	}
	top := d.top()
	top.space = sp
	return derive(partValue, &top, start, end, "/"+seg), true
}

func (d *Doc) literalAt(start int) *space {
	for at, sp := range d.literals {
		if at[0] == start {
			return sp
		}
	}
	return nil
}
