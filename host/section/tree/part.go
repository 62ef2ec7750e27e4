package tree

import "github.com/mcpctl/mcpctl/abi"

// PartKind is the kind of a Part.
type PartKind uint8

const (
	KindSection PartKind = iota // a Section, or the whole content (Section -1)
	KindGap                     // bytes that no Section covers
	KindFold                    // neighbours that share one line
	KindValue                   // a JSON value below the last Section
	KindRange                   // a window of a long part, or a piece of "id!"
	KindSet                     // all parts that a path matches
	KindElement                 // an element, key or heading inside a leaf
)

// Part is anything that a path can name and an answer can be about.
type Part struct {
	Kind       PartKind
	Section    int32   // the Section; for a gap its home; else the enclosing Section
	Number     int32   // gap: its number, from 0; fold: the position of its first member
	rank       int32   // rank in its home: its own, or for a gap that of the next Section
	Source     *Source // nil for a group, a fold and a set
	Start, End int
	*Origin    // fold, value, range, set, element; else nil
}

// Origin holds the fields that Sections and gaps do not need. Lists may have
// 40,000 of those, so the fields are kept out of Part.
type Origin struct {
	Base    *Part  // the part that contains it
	Members []Part // fold, set
	ByID    bool   // fold: its id consists of the ids of its members
	Exact   []Part // set: the matched parts themselves, where Members are the leaves that contain them
	Tail    string // value, range: the rest of its id after that of Base, with its separator; set: its path
}

// Top returns the whole content.
func (t *Tree) Top() Part {
	return Part{Section: -1, Source: t.Original, End: len(t.Original.Text)}
}

// Part returns a Section as a part, or the whole content for -1.
func (t *Tree) Part(section int32) Part {
	if section < 0 {
		return t.Top()
	}
	s := &t.Sections[section]
	p := Part{Section: section, rank: t.rank[section], Start: s.Start, End: s.End}
	switch s.Kind {
	case abi.SectionExact:
		p.Source = t.Original
	case abi.SectionDecoded:
		p.Source = t.literals[s.Literal]
	case abi.SectionDerived:
		p.Source = &Source{Text: s.Body, Kind: Derived}
		p.Start, p.End = 0, len(s.Body)
	case abi.SectionGroup:
		p.Start, p.End = 0, 0
	}
	return p
}

// Derive returns a value or range of base. tail follows the id of base.
func Derive(kind PartKind, base *Part, start, end int, tail string) Part {
	return Part{Kind: kind, Section: base.Section, Source: base.Source, Start: start, End: end, Origin: &Origin{Base: base, Tail: tail}}
}

// Bytes returns the bytes of a part in its source.
func (p *Part) Bytes() []byte {
	if p.Source == nil {
		return nil
	}
	return p.Source.Text[p.Start:p.End]
}

// Len returns the length of the span of p.
func (p *Part) Len() int { return p.End - p.Start }

// IsTop reports whether p is the whole content.
func (p *Part) IsTop() bool { return p.Kind == KindSection && p.Section < 0 }

// IsSection reports whether p is a Section and not the whole content.
func (p *Part) IsSection() bool { return p.Kind == KindSection && p.Section >= 0 }

// IsContent reports whether p is one range of the content, possibly decoded.
func (p *Part) IsContent() bool { return p.Source != nil && p.Source.Kind != Derived }

// IsKind reports whether p is a Section of this kind.
func (t *Tree) IsKind(p *Part, kind abi.SectionKind) bool {
	return p.IsSection() && t.Sections[p.Section].Kind == kind
}

// Size returns the bytes of a part; for a group or fold, the sum of its members.
func (t *Tree) Size(p *Part) int {
	if p.IsSection() {
		return t.size[p.Section]
	}
	return p.Len()
}

// IsLeaf reports whether p is a Section, or the whole content, without children.
func (t *Tree) IsLeaf(p *Part) bool { return p.Kind == KindSection && len(t.kids.of(p.Section)) == 0 }

// HasParts reports whether p is a Section, or the whole content, with children.
func (t *Tree) HasParts(p *Part) bool {
	return p.Kind == KindSection && len(t.kids.of(p.Section)) > 0
}

// Depth returns the number of levels below the top, groups and folds not counted.
func (t *Tree) Depth(p *Part) (n int) {
	for i := p.Section; i >= 0; i = t.owner[i] {
		n++
	}
	return n
}

// SectionAt returns the Section that is exactly a span of a source.
func (t *Tree) SectionAt(source *Source, start, end int) (Part, bool) {
	kind := abi.SectionExact
	if source.Kind == Decoded {
		kind = abi.SectionDecoded
	}
	for i := range t.Sections {
		s := &t.Sections[i]
		if s.Kind == kind && s.Start == start && s.End == end && (kind == abi.SectionExact || t.literals[s.Literal] == source) {
			return t.Part(int32(i)), true
		}
	}
	return Part{}, false
}

// LiteralAt returns the decoded string that starts at an offset of the original,
// or nil.
func (t *Tree) LiteralAt(start int) *Source {
	for at, source := range t.literals {
		if at[0] == start {
			return source
		}
	}
	return nil
}
