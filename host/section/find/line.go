package find

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/printer"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// findLine returns the part to read for "L17" or "line 17" below p. Lines are
// counted from the first line of the text, as in the ids of windows and records.
// "L17-20" is a window of these lines.
func (r *Resolver) findLine(p tree.Part, segment string) (tree.Part, bool) {
	n, rest, ok := CutLine(segment)
	if !ok || p.Source == nil || p.Kind == tree.KindFold {
		return tree.Part{}, false
	}
	if rest != "" {
		return ids.ParseWindow(p, "~L"+segment[strings.IndexAny(segment, "0123456789"):])
	}
	from, to := max(p.Source.LineStart(n-1), p.Start), min(p.Source.LineStart(n), p.End)
	if from >= to {
		return tree.Part{}, false
	}
	return r.findPartWithLine(p, from, to), true
}

// CutLine reads the number of a line. rest is the text after it.
func CutLine(segment string) (n int, rest string, ok bool) {
	for _, prefix := range [...]string{"L", "l", "line ", "Line ", "line", "lines "} {
		if n, rest, ok = ids.CutNumber(segment, prefix); ok && n > 0 && (rest == "" || rest[0] == '-') {
			return n, rest, true
		}
	}
	return 0, "", false
}

// findPartWithLine returns the smallest part that contains the line [from, to) of p, or
// a window around the line if that part is not a leaf.
func (r *Resolver) findPartWithLine(p tree.Part, from, to int) tree.Part {
	const blanks = " \t\r\n\f"
	text := bytes.TrimRight(p.Source.Text[from:to], blanks)
	isBlank := len(text) == 0 // then it may be structure, which is not listed
	if !isBlank {
		to = from + len(text)
	}
	for {
		inner, ok := r.findPartWith(p, from, to, !isBlank)
		if !ok {
			break
		}
		p = inner
	}
	if r.printer.Shape(&p) == printer.ShapeLeaf {
		return p
	}
	return r.printer.WindowAround(p, from, to)
}

// findPartWith returns the Section or gap of p that contains [from, to).
func (r *Resolver) findPartWith(p tree.Part, from, to int, onlyListed bool) (tree.Part, bool) {
	if !r.tree.HasParts(&p) {
		return tree.Part{}, false
	}
	contains := func(q *tree.Part) bool { return q.Source == p.Source && q.Start <= from && to <= q.End }
	for _, i := range r.tree.Cover(p.Section) {
		if q := r.tree.Part(i); contains(&q) {
			return q, true
		}
	}
	for _, g := range r.tree.Gaps(p, onlyListed) {
		if contains(&g.Part) {
			return g.Part, true
		}
	}
	return tree.Part{}, false
}
