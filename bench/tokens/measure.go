package main

import (
	"context"
	"slices"
)

// figures are the results of a file.
type figures struct {
	file
	whole, first int // tokens
	lines, poor  int // lines in the first answer, and those that name nothing or only the first member of a fold
	hunts        []huntFigures
}

// huntFigures are the tokens of the hunts for one target, by method.
type huntFigures struct {
	target             target
	perfect, text      hunt
	wrapped            hunt    // like text, in a file that structuredContent wraps
	bits               float64 // see measureSigns
	grep, paged, known int
}

func measure(ctx context.Context, p *product, n int, seed uint64) (figures, error) {
	wrapped := &product{session: p.session, count: p.count, file: p.file, tool: readWrapped}
	base := newBaseline(p.count, p.file.text)
	f := figures{file: p.file, whole: base.whole}
	targets, err := pick(p.file, n, seed)
	if err != nil {
		return f, err
	}
	first, err := p.readFirst(ctx)
	if err != nil {
		return f, err
	}
	f.first = first.tokens
	firstWrapped, err := wrapped.readFirst(ctx)
	if err != nil {
		return f, err
	}
	for _, o := range offers(first.Text) {
		if f.lines++; isPoorSign(o) {
			f.poor++
		}
	}
	root, err := p.crawl(ctx, "", first)
	if err != nil {
		return f, err
	}
	for _, t := range targets {
		text, err := p.huntText(ctx, first, t)
		if err != nil {
			return f, err
		}
		again, err := wrapped.huntText(ctx, firstWrapped, t)
		if err != nil {
			return f, err
		}
		perfect, err := p.huntPerfect(ctx, root, t)
		if err != nil {
			return f, err
		}
		f.hunts = append(f.hunts, huntFigures{t, perfect, text, again, measureSigns(root, t, p.file), base.grepCost(t), base.pagedCost(t), base.knownCost(t)})
	}
	return f, p.count.Err()
}

// sorted returns one figure of all hunts, sorted.
func (f figures) sorted(of func(huntFigures) int) []int {
	var all []int
	for _, h := range f.hunts {
		all = append(all, of(h))
	}
	slices.Sort(all)
	return all
}

func (f figures) found() int {
	n := 0
	for _, h := range f.hunts {
		if h.text.found {
			n++
		}
	}
	return n
}

// quantile returns a quantile of sorted figures; 0.5 is the median.
func quantile(sorted []int, q float64) int {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
