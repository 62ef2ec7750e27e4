package tree

import "github.com/mcpctl/mcpctl/abi"

// Gap is a range of a home that none of its Sections covers. Gaps are numbered by
// offset, listed or not.
type Gap struct {
	Part
	IsListed bool // it contains more than structure
}

// Gaps returns the uncovered ranges of a home, by offset. With the Sections that
// cover the home they join to its bytes, and for each string with decoded
// Sections to the decoded string. An array has as many gaps as elements, so
// onlyListed omits those that are structure.
func (t *Tree) Gaps(home Part, onlyListed bool) []Gap {
	found := gapList{onlyListed: onlyListed}
	outer := gapWalk{gapList: &found, home: home.Section, source: home.Source, at: home.Start, syntax: t.SyntaxIn(home)}
	inner := outer // the walk in the current string, or outer
	isInside := func() bool { return inner.source != home.Source }
	for r, i := range t.cover.of(home.Section) {
		s := &t.Sections[i]
		isEntered := s.Kind == abi.SectionDecoded && home.Source.Kind != Decoded
		if isInside() && (!isEntered || inner.source.Literal != s.Literal) {
			inner.finish(int32(r))
			inner = outer
		}
		if !isEntered {
			outer.addUntil(s.Start, int32(r))
			outer.at = s.End
			continue
		}
		if !isInside() {
			outer.addUntil(s.Literal[0], int32(r))
			outer.at = s.Literal[1]
			source := t.literals[s.Literal]
			inner = gapWalk{gapList: &found, home: home.Section, source: source, syntax: source.syntax}
		}
		inner.addUntil(s.Start, int32(r))
		inner.at = s.End
	}
	last := int32(len(t.cover.of(home.Section)))
	if isInside() {
		inner.finish(last)
	}
	outer.addUntil(home.End, last)
	return found.gaps
}

// gapList collects and numbers gaps.
type gapList struct {
	gaps       []Gap
	count      int32
	onlyListed bool
}

// gapWalk visits the uncovered ranges of one text in order.
type gapWalk struct {
	*gapList
	home   int32
	source *Source
	at     int // end of the last covered range
	syntax Syntax
}

// addUntil adds the gap up to end, if there is one. rank is that of the next Section.
func (w *gapWalk) addUntil(end int, rank int32) {
	if w.at >= end {
		return
	}
	listed := !w.syntax.IsStructure(w.source.Text[w.at:end])
	if listed || !w.onlyListed {
		p := Part{Kind: KindGap, Section: w.home, Number: w.count, rank: rank, Source: w.source, Start: w.at, End: end}
		w.gaps = append(w.gaps, Gap{p, listed})
	}
	w.count++
	w.at = end
}

func (w *gapWalk) finish(rank int32) { w.addUntil(len(w.source.Text), rank) }
