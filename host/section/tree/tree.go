// Package tree holds one content with the Sections that stages made of it.
//
// New checks the Sections and computes the relations between them. A Tree is
// complete: the bytes that no Section covers are parts too (see Gaps), so the
// leaves of a Tree always join to the content. A Part is anything that an answer
// can be about. The package neither names nor prints parts.
package tree

import (
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Limits of a Tree.
const (
	MaxSections = 65536
	MaxDepth    = 64
	MaxID       = 80 // bytes of an id with the number that distinguishes equal ones
)

// Tree is one content with its Sections. It is read-only and safe for concurrent
// use.
type Tree struct {
	Sections []abi.Section
	Original *Source
	language Language
	literals map[[2]int]*Source

	owner []int32 // nearest ancestor that is not a group: ids are unique below it
	home  []int32 // nearest ancestor whose bytes contain the Section: neither group nor derived
	rank  []int32 // position among the Sections with the same home, by offset
	size  []int   // bytes; for a group the sum of its members
	mixed []bool  // the Section contains more than ranges of one text

	kids  lists // children by parent
	cover lists // exact and decoded Sections by home, sorted by offset
	ids   idTable
}

// New checks sections and completes them for original, at about 100 ns a
// Section. Without Sections the content is one part.
//
// The caller must not modify original or sections while the Tree is in use.
// New returns abi.ErrGuest if a Section violates the contract: its span is
// outside its parent, splits a character or overlaps another one, or its id is
// invalid or not unique.
func New(original []byte, sections []abi.Section, language Language) (*Tree, error) {
	t := &Tree{
		Sections: sections,
		Original: &Source{Text: original, Kind: Original},
		language: language,
		literals: map[[2]int]*Source{},
	}
	if err := t.link(); err != nil {
		return nil, err
	}
	if err := t.verify(); err != nil {
		return nil, err
	}
	t.measure()
	return t, nil
}

// MemoryBytes returns the approximate memory that a Tree keeps in use, original
// included.
func (t *Tree) MemoryBytes() int {
	const perSection = 170 // of which abi.Section takes 120
	n := len(t.Original.Text) + len(t.Sections)*perSection
	for i := range t.Sections {
		s := &t.Sections[i]
		n += len(s.ID) + len(s.Title) + len(s.Summary) + len(s.Body)
	}
	for _, source := range t.literals {
		n += len(source.Text)
	}
	return n
}

// Kids returns the children of a Section, or those at the top level for -1.
func (t *Tree) Kids(section int32) []int32 { return t.kids.of(section) }

// Cover returns the Sections that are bytes of a Section, by offset.
func (t *Tree) Cover(section int32) []int32 { return t.cover.of(section) }

// Owner returns the nearest ancestor of a Section that is not a group, or -1.
func (t *Tree) Owner(section int32) int32 { return t.owner[section] }

// Home returns the nearest ancestor whose bytes contain a Section, or -1.
func (t *Tree) Home(section int32) int32 { return t.home[section] }

// IsMixed reports whether a Section contains more than ranges of one text.
func (t *Tree) IsMixed(section int32) bool { return t.mixed[section] }

// HasPlace reports whether a Section is bytes of its home.
func (t *Tree) HasPlace(section int32) bool {
	kind := t.Sections[section].Kind
	return kind == abi.SectionExact || kind == abi.SectionDecoded
}

// Place returns the span of a Section in the bytes of its home.
func (t *Tree) Place(section int32) (start, end int) {
	s := &t.Sections[section]
	if home := t.home[section]; s.Kind == abi.SectionDecoded && (home < 0 || t.Sections[home].Kind == abi.SectionExact) {
		return s.Literal[0], s.Literal[1]
	}
	return s.Start, s.End
}

// EachChild visits the children of an owner, also those in groups, while visit
// returns true.
func (t *Tree) EachChild(owner int32, visit func(section int32) bool) bool {
	for _, i := range t.kids.of(owner) {
		if !visit(i) {
			return false
		}
		if t.Sections[i].Kind == abi.SectionGroup && !t.EachChild(i, visit) {
			return false
		}
	}
	return true
}

// Ancestors returns the owners of a Section, the outermost first.
func (t *Tree) Ancestors(section int32) (above []int32) {
	for up := t.owner[section]; up >= 0; up = t.owner[up] {
		above = append(above, up)
	}
	slices.Reverse(above)
	return above
}

// Child returns the Section with this id below an owner.
func (t *Tree) Child(owner int32, id string) (section int32, ok bool) {
	if len(id) > MaxID {
		return 0, false
	}
	slot := *t.ids.slot(t, owner, id)
	return slot - 1, slot != 0
}

// OwnerIn returns the owner of the Sections that the Section p contains.
func (t *Tree) OwnerIn(p *Part) int32 {
	if t.IsKind(p, abi.SectionGroup) {
		return t.owner[p.Section]
	}
	return p.Section
}
