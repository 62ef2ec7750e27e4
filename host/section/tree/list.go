package tree

import "github.com/mcpctl/mcpctl/abi"

// PartsOf returns the parts that an index of p offers, in order. They contain each
// byte of p once, except structure. A part without any is a leaf.
func (t *Tree) PartsOf(p Part) []Part {
	switch {
	case p.Kind == KindFold, p.Kind == KindSet:
		return p.Members
	case !t.HasParts(&p):
		return nil
	}
	kids := t.kids.of(p.Section)
	items := make([]Part, 0, len(kids)+1)
	var gaps []Gap
	if p.IsContent() {
		gaps = t.Gaps(p, true)
	}
	for _, i := range kids {
		for len(gaps) > 0 && gaps[0].rank <= t.rank[i] && t.HasPlace(i) {
			items = append(items, gaps[0].Part)
			gaps = gaps[1:]
		}
		items = append(items, t.Part(i))
	}
	for _, g := range gaps {
		items = append(items, g.Part)
	}
	return items
}

// Ungroup returns parts with groups and folds replaced by their members.
func (t *Tree) Ungroup(parts []Part) (found []Part) {
	for _, p := range parts {
		if p.Kind == KindFold || t.IsKind(&p, abi.SectionGroup) {
			found = append(found, t.Ungroup(t.PartsOf(p))...)
			continue
		}
		found = append(found, p)
	}
	return found
}

// Merge returns the parts as one range. It reports false if they are not ranges
// of one text with only structure between them.
func (t *Tree) Merge(parts []Part) (whole Part, ok bool) {
	for i := range parts {
		p := &parts[i]
		if !p.IsContent() || p.Kind == KindFold || p.Kind == KindSection && t.mixed[p.Section] || i > 0 && !t.follows(&parts[i-1], p) {
			return Part{}, false
		}
	}
	if len(parts) == 0 {
		return Part{}, false
	}
	whole = parts[0]
	whole.End = parts[len(parts)-1].End
	return whole, true
}

// IsNext reports whether b is the next part after a in the same text. There may be
// text between them.
func IsNext(a, b *Part) bool {
	after := a.rank
	if a.Kind == KindSection {
		after++
	}
	return a.Source == b.Source && a.End <= b.Start && after == b.rank
}

// follows reports whether b is next after a with only structure between them.
func (t *Tree) follows(a, b *Part) bool {
	return IsNext(a, b) && (a.End == b.Start || t.syntaxAround(a).IsStructure(a.Source.Text[a.End:b.Start]))
}

// syntaxAround returns the syntax of the home of p.
func (t *Tree) syntaxAround(p *Part) Syntax {
	if p.Source.Kind == Decoded {
		return p.Source.syntax
	}
	home := p.Section
	if p.Kind == KindSection {
		home = t.home[p.Section]
	}
	return t.SyntaxIn(t.Part(home))
}

// TotalSize returns the bytes of consecutive parts: from the first to the last if
// each is next after the one before, else the sum of their sizes.
func (t *Tree) TotalSize(parts []Part) int {
	sum, isRange := 0, true
	for i := range parts {
		sum += t.Size(&parts[i])
		isRange = isRange && parts[i].Source != nil && (i == 0 || IsNext(&parts[i-1], &parts[i]))
	}
	if isRange && len(parts) > 0 {
		return parts[len(parts)-1].End - parts[0].Start
	}
	return sum
}
