package section

import (
	"bytes"
	"strings"
)

// linesNamed is the window that seg names in p.
func linesNamed(p part, seg string) (part, bool) {
	base := &p
	if p.kind == partRange {
		base = p.base
	}
	start, end, ok := parseLines(base, seg)
	if !ok {
		return part{}, false
	}
	return derive(partRange, base, start, end, lineRange(base, start, end)), true
}

// pageNamed is a page of p that is no Section: the stage paginate spells the ids
// of its pages like windows, so that one of an earlier page size still means the
// same bytes.
func pageNamed(p part, seg string) (part, bool) {
	page, ok := linesNamed(p, "~"+seg)
	if ok {
		page.tail = pageSign + page.tail[len(windowSign):]
	}
	return page, ok
}

// Signs that begin the last segment of a window and of a page.
const (
	windowSign = "/~L"
	pageSign   = "/L"
)

// isPage reports whether p is a page, cut by a stage to be read in one piece,
// and no more than "id!" would give.
func (d *Doc) isPage(p *part) bool {
	switch {
	case p.end-p.start > d.set.MaxWholeBytes:
		return false
	case p.kind == partRange:
		return strings.HasPrefix(p.tail, pageSign)
	case p.kind != partSection || p.sec < 0 || p.space == nil:
		return false
	}
	id := d.sections[p.sec].ID
	if !strings.HasPrefix(id, "L") || !strings.Contains(id, "@") {
		return false
	}
	home := d.part(d.home[p.sec])
	start, end, ok := parseLines(&home, "~"+id)
	return ok && start == p.start && end == p.end
}

// lineNamed takes "L17" and "line 17" below p for what holds this line of its
// text, counted from the first one as windows and ids of records count: the
// smallest part with all of it, or where that is too much a window round it.
// "L17-20" are these lines.
func (d *Doc) lineNamed(p part, seg string) (part, bool) {
	n, rest, ok := cutLine(seg)
	if !ok || p.space == nil || p.kind == partFold {
		return part{}, false
	}
	if rest != "" {
		return linesNamed(p, "~L"+seg[strings.IndexAny(seg, "0123456789"):])
	}
	from, to := max(p.space.lineStart(n-1), p.start), min(p.space.lineStart(n), p.end)
	if from >= to {
		return part{}, false
	}
	return d.lineIn(p, from, to), true
}

// cutLine reads the number of a line; rest is what stands behind it.
func cutLine(seg string) (n int, rest string, ok bool) {
	for _, prefix := range [...]string{"L", "l", "line ", "Line ", "line", "lines "} {
		if n, rest, ok = cutNumber(seg, prefix); ok && n > 0 && (rest == "" || rest[0] == '-') {
			return n, rest, true
		}
	}
	return 0, "", false
}

// lineIn is the part to read for the line [from, to) of p.
func (d *Doc) lineIn(p part, from, to int) part {
	text := p.space.text[from:to]
	blank := isBlank(text) // it may be structure, which is not listed
	if !blank {
		to -= len(text) - len(bytes.TrimRight(text, blanks))
	}
	for {
		inner, ok := d.holder(p, from, to, !blank)
		if !ok {
			break
		}
		p = inner
	}
	if d.shape(&p) == shapeLeaf {
		return p
	}
	return d.around(p, from, to)
}

// holder is the part of p, listed or any, that holds [from, to).
func (d *Doc) holder(p part, from, to int, listed bool) (part, bool) {
	if p.kind != partSection || len(d.kids.of(p.sec)) == 0 {
		return part{}, false
	}
	holds := func(q *part) bool { return q.space == p.space && q.start <= from && to <= q.end }
	for _, i := range d.cover.of(p.sec) {
		if q := d.part(i); holds(&q) {
			return q, true
		}
	}
	for _, g := range d.gaps(p, listed) {
		if holds(&g.part) {
			return g.part, true
		}
	}
	return part{}, false
}
