package section

import (
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// gap is a stretch of a home that no Section of it covers. Its id is ~1, ~2, ...
// in order of place, listed or not.
type gap struct {
	part
	listed bool // it is more than structure
}

func gapID(from int32) string { return "~" + strconv.Itoa(int(from)+1) }

// gaps returns the uncovered stretches of a home, in order: with the Sections
// that cover it they join to its bytes, or where a string was entered, to its
// bytes and those of the decoded string. Of an array these are as many as the
// elements; mostly only those that are listed matter.
func (d *Doc) gaps(home part, onlyListed bool) []gap {
	found := gapList{onlyListed: onlyListed}
	w := gapWalk{gapList: &found, home: home.sec, sp: home.space, at: home.start}
	w.syntax = d.syntaxIn(home)
	inside := w // the string that is entered now
	for r, i := range d.cover.of(home.sec) {
		s := &d.sections[i]
		entered := s.Kind == abi.SectionDecoded && home.space.kind != flow.AnswerDecoded
		if inside.sp != home.space && (!entered || inside.sp.literal != s.Literal) {
			inside = w.leave(inside, int32(r))
		}
		if !entered {
			w.until(s.Start, int32(r))
			w.at = s.End
			continue
		}
		if inside.sp == home.space {
			w.until(s.Literal[0], int32(r))
			w.at = s.Literal[1]
			inside = gapWalk{gapList: &found, home: home.sec, sp: d.literals[s.Literal]}
			inside.syntax = inside.sp.syntax
		}
		inside.until(s.Start, int32(r))
		inside.at = s.End
	}
	last := int32(len(d.cover.of(home.sec)))
	if inside.sp != home.space {
		w.leave(inside, last)
	}
	w.until(home.end, last)
	return found.gaps
}

// syntaxIn says what separates the parts of a home.
func (d *Doc) syntaxIn(home part) syntax {
	switch {
	case home.space.kind == flow.AnswerDecoded:
		return home.space.syntax
	case !d.named:
		return guessSyntax(home.bytes())
	case home.sec >= 0: // it may hold a document of another type, as a dashboard in YAML
		guess := guessSyntax
		if d.syntax == syntaxText {
			guess = innerSyntax
		}
		if inner := guess(home.bytes()); inner != syntaxText {
			return inner
		}
	}
	return d.syntax
}

// gapList numbers gaps as they are found.
type gapList struct {
	gaps       []gap
	count      int32
	onlyListed bool
}

// gapWalk goes over one text from covered stretch to covered stretch.
type gapWalk struct {
	*gapList
	home   int32
	sp     *space
	at     int
	syntax syntax
}

func (w *gapWalk) until(end int, rank int32) {
	if w.at >= end {
		return
	}
	listed := !w.syntax.pure(w.sp.text[w.at:end])
	if listed || !w.onlyListed {
		p := part{kind: partGap, sec: w.home, from: w.count, rank: rank, space: w.sp, start: w.at, end: end}
		w.gaps = append(w.gaps, gap{p, listed})
	}
	w.count++
	w.at = end
}

// leave ends an entered string; the walk goes on behind it.
func (w *gapWalk) leave(inside gapWalk, rank int32) gapWalk {
	inside.until(len(inside.sp.text), rank)
	return *w
}

// list returns the parts that the index of p offers, in order: they hold each
// byte of p once, pure structure apart. A part without any is a leaf.
func (d *Doc) list(p part) []part {
	switch {
	case p.kind == partFold, p.kind == partSet:
		return p.members
	case p.kind != partSection || len(d.kids.of(p.sec)) == 0:
		return nil
	}
	kids := d.kids.of(p.sec)
	items := make([]part, 0, len(kids)+1)
	var gaps []gap
	if p.space != nil && p.space.kind != flow.AnswerDerived {
		gaps = d.gaps(p, true)
	}
	for _, i := range kids {
		for len(gaps) > 0 && gaps[0].rank <= d.rank[i] && d.hasPlace(int(i)) {
			items = append(items, gaps[0].part)
			gaps = gaps[1:]
		}
		items = append(items, d.part(i))
	}
	for _, g := range gaps {
		items = append(items, g.part)
	}
	return items
}

// neighbours reports whether parts are ranges of one text with nothing offered
// between them, so that their bytes can be answered in one piece.
func (d *Doc) neighbours(parts []part) (whole part, ok bool) {
	for i := range parts {
		p := &parts[i]
		if p.space == nil || p.space.kind == flow.AnswerDerived || p.kind == partFold ||
			p.kind == partSection && d.mixed[p.sec] || i > 0 && !d.follows(&parts[i-1], p) {
			return part{}, false
		}
	}
	if len(parts) == 0 {
		return part{}, false
	}
	whole = parts[0]
	whole.end = parts[len(parts)-1].end
	return whole, true
}

// isNext reports whether b is the next part of the same text behind a, whatever
// stands between them.
func isNext(a, b *part) bool {
	after := a.rank
	if a.kind == partSection {
		after++
	}
	return a.space == b.space && a.end <= b.start && after == b.rank
}

// follows reports whether b stands behind a in the same text, structure apart.
func (d *Doc) follows(a, b *part) bool {
	return isNext(a, b) && (a.end == b.start || d.between(a).pure(a.space.text[a.end:b.start]))
}

// between says what separates a from its neighbours.
func (d *Doc) between(a *part) syntax {
	if a.space.kind == flow.AnswerDecoded {
		return a.space.syntax
	}
	home := a.sec
	if a.kind == partSection {
		home = d.home[a.sec]
	}
	return d.syntaxIn(d.part(home))
}
