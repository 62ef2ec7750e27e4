package printer

import (
	"bytes"

	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// CutWindows cuts a long part into at most so many ranges of at most unit bytes. If
// that is not enough, each range has several units and is answered by windows of
// its own.
func (pr *Printer) CutWindows(p tree.Part, unit, lines int, name ids.RangeName) []tree.Part {
	base := &p
	if p.Kind == tree.KindRange {
		base = p.Base
	}
	size := windowSize(p.Len(), unit, lines)
	var cuts []int
	for {
		if cuts = cutAll(p, size, lines); cuts != nil {
			break
		}
		size *= 2
	}
	return CutRanges(base, p.Start, cuts, name)
}

// CutRanges returns the ranges of base from start that end at the cuts.
func CutRanges(base *tree.Part, start int, cuts []int, name ids.RangeName) []tree.Part {
	list := make([]tree.Part, len(cuts))
	for i, end := range cuts {
		list[i] = tree.Derive(tree.KindRange, base, start, end, name(base, start, end))
		start = end
	}
	return list
}

// windowSize returns the size of the windows at the first of as few levels as
// possible, which all have about the same number of windows: 30 units are 6 times
// 5, which takes a reader 11 lines, rather than 24 and 6, which takes 26.
func windowSize(total, unit, lines int) int {
	power := func(base, levels int) int {
		n := 1
		for range levels {
			n *= base
		}
		return n
	}
	units := (total + unit - 1) / unit
	levels := 1
	for power(lines, levels) < units {
		levels++
	}
	if levels == 1 {
		return unit
	}
	per := 2
	for power(per, levels) < units {
		per++
	}
	return unit * power(per, levels-1)
}

// cutAll returns the ends of the windows of p, or nil if there are too many.
func cutAll(p tree.Part, size, limit int) []int {
	var cuts []int
	for at := p.Start; at < p.End; {
		if len(cuts) == limit {
			return nil
		}
		at = findWindowEnd(p.Source.Text, at, p.End, size)
		cuts = append(cuts, at)
	}
	return cuts
}

// findWindowEnd returns the end of a window of at most size bytes. It is after the
// last blank line of the last quarter, else after the last line end, else after
// the last blank of the second half, else between two characters and outside of
// JSON escapes.
func findWindowEnd(text []byte, start, end, size int) int {
	if end-start <= size {
		return end
	}
	limit := start + size
	tail := start + size*3/4
	for _, blank := range [...]string{"\n\n", "\n\r\n"} { // blank lines separate paragraphs
		if i := bytes.LastIndex(text[tail:limit], []byte(blank)); i >= 0 {
			return tail + i + len(blank)
		}
	}
	if i := bytes.LastIndexByte(text[start:limit], '\n'); i >= 0 {
		return start + i + 1
	}
	half := start + size/2
	for _, between := range [...]string{"},{", "}, {"} {
		if i := bytes.LastIndex(text[half:limit], []byte(between)); i >= 0 {
			return half + i + len("},")
		}
	}
	if i := bytes.LastIndexAny(text[half:limit], " \t"); i >= 0 {
		return tree.Border(text, start, half+i+1)
	}
	return tree.Border(text, start, limit)
}

// WindowAround returns the window of a long part that shows a span, with some
// lines before and more after it.
func (pr *Printer) WindowAround(p tree.Part, start, end int) tree.Part {
	base := &p
	if p.Kind == tree.KindRange {
		base = p.Base
	}
	from, to := pr.SpanAround(base, start, end)
	return tree.Derive(tree.KindRange, base, from, to, ids.LineRange(base, from, to))
}

// SpanAround returns the span of the window that WindowAround returns.
func (pr *Printer) SpanAround(base *tree.Part, start, end int) (from, to int) {
	text, size := base.Source.Text, pr.Settings.LeafSize
	from = max(base.Start, start-size/4)
	if i := bytes.IndexByte(text[from:start], '\n'); i >= 0 && from > base.Start {
		from += i + 1
	} else {
		from = tree.RangeBorder(base, base.Start, from)
	}
	to = min(base.End, max(from+size, end))
	if to == base.End {
		return from, to
	}
	if i := bytes.LastIndexByte(text[end:to], '\n'); i >= 0 {
		return from, end + i + 1
	}
	if i := bytes.LastIndexAny(text[end:to], " \t"); i >= 0 {
		to = end + i + 1
	}
	return from, tree.Border(text, from, to)
}
