package find

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/heading"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// leaves finds elements inside leaves, and leaves that contain a name.
type leaves struct {
	tree     *tree.Tree
	language Language
	json     *jsonPaths
	left     *int // bytes that may still be read for names in leaves; nil: any number
}

// withBudget returns a copy of r for one path. Without a limit, a path of many segments could
// read a leaf once for each of them, and that from each Section with the name of the first.
func (r *Resolver) withBudget() *Resolver {
	c, left := *r, 8*(minScanned+len(r.tree.Original.Text))
	c.leaves.left = &left
	return &c
}

// spend reports whether n more bytes may be read.
func (l *leaves) spend(n int) bool {
	if l.left != nil {
		*l.left -= n
	}
	return l.left == nil || *l.left >= 0
}

func isElement(p tree.Part) bool { return p.Kind == tree.KindElement }

func elementIn(leaf *tree.Origin, span [2]int) tree.Part {
	base := leaf.Base
	return tree.Part{Kind: tree.KindElement, Section: base.Section, Source: base.Source, Start: span[0], End: span[1], Origin: leaf}
}

// leafOf returns the leaf that p is or is an element of, if leaves contain elements. All
// elements of a leaf share the result.
func (l *leaves) leafOf(p *tree.Part) (leaf *tree.Origin, ok bool) {
	leaf, ok = l.textOf(p)
	return leaf, ok && l.language.HasElements()
}

// textOf returns the leaf that p is or is in. ok is false if paths continue in it with keys
// and positions.
func (l *leaves) textOf(p *tree.Part) (leaf *tree.Origin, ok bool) {
	if isElement(*p) {
		return p.Origin, true
	}
	return &tree.Origin{Base: p}, p.Section >= 0 && l.isEndOfPaths(p)
}

// isEndOfPaths reports whether p is a leaf into which paths do not continue as keys
// and positions.
func (l *leaves) isEndOfPaths(p *tree.Part) bool {
	if !l.tree.IsLeaf(p) || p.Source == nil {
		return false
	}
	if l.language.IsDeclared() || p.Source.Kind == tree.Decoded {
		return !l.tree.SyntaxIn(*p).IsJSON()
	}
	_, isJSON := l.json.start(p)
	return !isJSON
}

// findChildren returns the elements with this tag directly inside the leaves and the
// elements among some parts.
func (l *leaves) findChildren(from []tree.Part, segment string) (found []tree.Part) {
	if !l.language.HasElements() {
		return nil
	}
	tag := ids.Unescape(segment)
	for i := range from {
		p := &from[i]
		leaf, ok := l.leafOf(p)
		if !ok || len(found) >= MaxElements {
			continue
		}
		for _, span := range l.language.Children(p.Bytes(), tag, MaxElements-len(found)) {
			found = append(found, elementIn(leaf, [2]int{p.Start + span[0], p.Start + span[1]}))
		}
	}
	return found
}

// findBelow returns the parts with this name at any depth below some parts, as
// a//b does. Parts inside other results are left out.
func (l *leaves) findBelow(from []tree.Part, segment string) (found []tree.Part) {
	if !l.language.HasElements() {
		return nil
	}
	name := ids.Unescape(segment)
	for i := range from {
		p := &from[i]
		if !l.tree.HasParts(p) {
			found = append(found, l.findInside(p, name)...)
			continue
		}
		l.tree.EachChild(p.Section, func(i int32) bool {
			switch child := l.tree.Part(i); {
			case l.isNamed(&child, name):
				found = append(found, child)
			case l.tree.Sections[i].Kind != abi.SectionGroup:
				found = append(found, l.findBelow([]tree.Part{child}, segment)...)
			}
			return len(found) < MaxElements
		})
	}
	return found
}

// findInside returns the elements with this tag at any depth inside the leaf p. Parts
// inside other results are left out.
func (l *leaves) findInside(p *tree.Part, name string) (found []tree.Part) {
	leaf, ok := l.leafOf(p)
	if !ok {
		return nil
	}
	for _, span := range l.language.Inside(p.Bytes(), name, MaxElements) {
		found = append(found, elementIn(leaf, [2]int{p.Start + span[0], p.Start + span[1]}))
	}
	return found
}

// isNamed reports whether p is a Section for an element with this tag.
func (l *leaves) isNamed(p *tree.Part, name string) bool {
	return p.IsSection() && p.Source != nil && l.language.HasTag(p.Bytes(), name)
}

// findNamed returns the blocks with this name in p if it is a leaf or in one, else p if it
// contains a tag, attribute or key with this name.
func (l *leaves) findNamed(p tree.Part, segment string) []tree.Part {
	name, text := ids.Unescape(segment), p.Bytes()
	leaf, ok := l.textOf(&p)
	if !ok || !l.spend(len(text)) {
		return nil
	}
	column, own := l.placeOf(&p)
	syntaxes := [...]blockSyntax{l.language, l.tree.SyntaxIn(p)} // a text may begin like another type
	for _, s := range syntaxes {
		if spans := s.Blocks(text, column, own, name, maxMembers); len(spans) > 0 {
			return blocksOf(&p, leaf, spans)
		}
	}
	if isElement(p) {
		text = text[1:] // without its own tag
	}
	for _, s := range syntaxes {
		if s.HasName(text, name) {
			return []tree.Part{p}
		}
	}
	return nil
}

// blockSyntax finds names in a text.
type blockSyntax interface {
	Blocks(text []byte, column int, own, name string, limit int) [][2]int
	HasName(text []byte, name string) bool
}

// placeOf returns the column of the first byte of p, and the name of a leaf.
func (l *leaves) placeOf(p *tree.Part) (column int, own string) {
	const maxColumn = 1000
	before := p.Source.Text[max(0, p.Start-maxColumn):p.Start]
	if p.IsSection() {
		own = ids.Unescape(l.tree.Sections[p.Section].ID)
	}
	return len(before) - 1 - bytes.LastIndexByte(before, '\n'), own
}

// blocksOf returns spans of the bytes of p as elements of its leaf.
func blocksOf(p *tree.Part, leaf *tree.Origin, spans [][2]int) []tree.Part {
	found := make([]tree.Part, len(spans))
	for i, span := range spans {
		found[i] = elementIn(leaf, [2]int{p.Start + span[0], p.Start + span[1]})
	}
	return found
}

// isHeading reports whether a Section begins with a heading that name names.
func (l *leaves) isHeading(s *abi.Section, name string) bool {
	return l.language.HasHeadings() && s.Kind != abi.SectionGroup && heading.Matches(s.Title, name)
}

// findHeadings returns the blocks in all leaves that begin with a heading which name names.
func (l *leaves) findHeadings(name string) (found []tree.Part) {
	if !l.language.HasHeadings() {
		return nil
	}
	for i := range l.tree.Sections {
		p := l.tree.Part(int32(i))
		leaf, ok := l.textOf(&p)
		if !ok || len(found) >= MaxMatches || !l.spend(p.Len()) {
			continue
		}
		column, own := l.placeOf(&p)
		found = append(found, blocksOf(&p, leaf, l.language.Blocks(p.Bytes(), column, own, name, maxMembers))...)
	}
	return found
}

// findItem returns the item at this position of the list that p contains, if p is a leaf or in
// one. Else it returns p if it is a leaf that may contain such a list, because it has that many
// lines and commas.
func (l *leaves) findItem(p tree.Part, segment string) []tree.Part {
	n, ok := ids.Position(segment)
	leaf, isText := l.textOf(&p)
	if !ok || !isText || !l.spend(p.Len()) {
		return nil
	}
	column, own := l.placeOf(&p)
	switch span, ok, known := l.tree.SyntaxIn(p).BlockItem(p.Bytes(), column, own, n); {
	case ok:
		return blocksOf(&p, leaf, [][2]int{span})
	case known:
		return nil
	}
	text := bytes.TrimSpace(p.Bytes())
	if n > bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte(",")) {
		return nil
	}
	return []tree.Part{p}
}

// replaceByLeaves returns parts with elements replaced by the leaves that contain them,
// each once.
func replaceByLeaves(parts []tree.Part) []tree.Part {
	if !slices.ContainsFunc(parts, isElement) {
		return parts
	}
	found := newUniqueParts(make([]tree.Part, 0, len(parts)))
	for _, p := range parts {
		if isElement(p) {
			p = *p.Base
		}
		found.add([]tree.Part{p})
	}
	return found.parts
}

// uniqueParts collects parts, each once.
type uniqueParts struct {
	parts []tree.Part
	seen  map[partKey]bool
}

// partKey identifies a part.
type partKey struct {
	kind       tree.PartKind
	section    int32
	source     *tree.Source
	start, end int
}

func keyOf(p *tree.Part) partKey { return partKey{p.Kind, p.Section, p.Source, p.Start, p.End} }

func newUniqueParts(parts []tree.Part) *uniqueParts {
	u := &uniqueParts{parts, make(map[partKey]bool, len(parts))}
	for i := range parts {
		u.seen[keyOf(&parts[i])] = true
	}
	return u
}

func (u *uniqueParts) add(parts []tree.Part) {
	for i := range parts {
		if key := keyOf(&parts[i]); !u.seen[key] {
			u.seen[key] = true
			u.parts = append(u.parts, parts[i])
		}
	}
}

// addAll adds the parts that a step leads to from each of some parts.
func (u *uniqueParts) addAll(from []tree.Part, segment string, step func(p tree.Part, segment string) []tree.Part) {
	for _, p := range from {
		if len(u.parts) > MaxMatches {
			return
		}
		u.add(step(p, segment))
	}
}
