// Package tree builds the section tree of one call of a guest.
//
// A Builder starts with the tree of the call and copies it before the first change.
// It checks the rules for spans; ids, texts and quotas are for the caller.
package tree

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/mcpctl/mcpctl/abi"
)

// Builder is the section tree of a call. The zero value is an empty tree.
type Builder struct {
	source   *abi.Tree // of the call
	sections []abi.Section
	places   []place // of each section
	earlier  int     // number of sections in the source
	text     int     // bytes of ids, titles, summaries and derived bodies
	isOpen   bool    // the source was read
	changed  bool
	topEnd   int    // end of the last exact section without a parent
	records  []byte // buffer 5; nil until it is read
	texts    []byte // memory for ids and titles, shared by many of them
	list     *list  // the memory of sections and places; nil before the first change
}

// New returns a Builder of the tree of a call.
func New(source *abi.Tree) Builder { return Builder{source: source} }

// place holds the properties of a section that the checks need beside its fields.
type place struct {
	childEnd int   // end of its last exact child
	exact    int32 // nearest exact section: itself or an ancestor; -1: none
	depth    int32
}

// list is reusable memory for sections. A list that grows by append, up to 65,536
// sections, would be copied repeatedly.
type list struct {
	sections []abi.Section
	places   []place
}

var lists sync.Pool

// open reads the source once.
func (b *Builder) open() {
	if b.isOpen {
		return
	}
	b.isOpen = true
	if b.source == nil {
		return
	}
	b.sections = b.source.Sections
	b.earlier = len(b.sections)
	b.places = make([]place, 0, len(b.sections))
	for i := range b.sections {
		s := &b.sections[i]
		b.text += len(s.ID) + len(s.Title) + len(s.Summary) + len(s.Body)
		b.addPlace(s)
	}
}

// addPlace appends the place of a section.
func (b *Builder) addPlace(s *abi.Section) {
	p := place{exact: -1}
	if s.Parent >= 0 {
		p.depth = b.places[s.Parent].depth + 1
		p.exact = b.places[s.Parent].exact
	}
	if s.Kind == abi.SectionExact {
		p.exact = int32(len(b.places))
		*b.childEnd(s.Parent) = s.End
	}
	b.places = append(b.places, p)
}

func (b *Builder) childEnd(parent int) *int {
	if parent < 0 {
		return &b.topEnd
	}
	return &b.places[parent].childEnd
}

// Len returns the number of sections.
func (b *Builder) Len() int {
	b.open()
	return len(b.sections)
}

// Has reports whether there is a section i.
func (b *Builder) Has(i int32) bool { return i >= 0 && int(i) < b.Len() }

// IsEarlier reports whether section i comes from an earlier stage.
func (b *Builder) IsEarlier(i int32) bool { return int(i) < b.earlier }

// Section returns section i, which must not be modified.
func (b *Builder) Section(i int) *abi.Section { return &b.sections[i] }

// Depth returns the depth of section i; -1 for the parent of sections without one.
func (b *Builder) Depth(i int) int {
	if i < 0 {
		return -1
	}
	return int(b.places[i].depth)
}

// TextBytes returns the bytes of ids, titles, summaries and derived bodies.
func (b *Builder) TextBytes() int { return b.text }

// Append adds a section that Check has accepted and returns its position.
func (b *Builder) Append(s abi.Section) int {
	b.copySource()
	b.text += len(s.ID) + len(s.Title) + len(s.Body)
	b.addPlace(&s)
	b.sections = append(b.sections, s)
	i := len(b.sections) - 1
	if b.records != nil {
		b.records = b.appendRecord(b.records, i)
		b.countChild(s.Parent)
	}
	return i
}

// SetTitle replaces the title of section i.
func (b *Builder) SetTitle(i int, title string) {
	b.copySource()
	b.text += len(title) - len(b.sections[i].Title)
	b.sections[i].Title = title
}

// SetSummary replaces the summary of section i.
func (b *Builder) SetSummary(i int, summary string) {
	b.copySource()
	b.text += len(summary) - len(b.sections[i].Summary)
	b.sections[i].Summary = summary
	b.recordSummary(i)
}

// SetID replaces the id of section i, which must be of this call.
func (b *Builder) SetID(i int, id string) {
	b.text += len(id) - len(b.sections[i].ID)
	b.sections[i].ID = id
}

// copySource copies the sections of the source before the first change.
func (b *Builder) copySource() {
	if b.changed {
		return
	}
	b.changed = true
	b.list, _ = lists.Get().(*list)
	if b.list == nil {
		b.list = new(list)
	}
	b.sections = append(b.list.sections[:0], b.sections...)
	b.places = append(b.list.places[:0], b.places...)
}

// Sizes of the memory for texts: the first block is small, because most trees are;
// each further one is four times as large as the one before.
const (
	minTexts = 1 << 10
	maxTexts = 32 << 10
)

// Keep copies the text of a new section to shared memory. Each section may use it
// once, so that the memory belongs to texts in use.
func (b *Builder) Keep(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if cap(b.texts)-len(b.texts) < len(text) {
		b.texts = make([]byte, 0, max(minTexts, min(4*cap(b.texts), maxTexts), len(text)))
	}
	start := len(b.texts)
	b.texts = append(b.texts, text...)
	return unsafe.String(&b.texts[start], len(text))
}

// Mark is a state of a Builder to which Rewind returns.
type Mark struct {
	sections, text int
	texts          []byte
}

// Sections returns the number of sections at the mark.
func (m Mark) Sections() int { return m.sections }

// Mark returns the current state.
func (b *Builder) Mark() Mark { return Mark{b.Len(), b.text, b.texts} }

// Rewind removes the sections that were added since the mark. The memory of their
// texts is used again; otherwise a guest could make the host keep one block of it for
// each section.
func (b *Builder) Rewind(m Mark) {
	b.texts = m.texts
	if len(b.sections) == m.sections {
		return
	}
	clear(b.sections[m.sections:])
	b.sections, b.text, b.records = b.sections[:m.sections], m.text, nil
	b.places, b.topEnd = b.places[:0], 0
	for i := range b.sections {
		b.addPlace(&b.sections[i])
	}
}

// Finish returns the tree with settled ids. typ and syntax replace those of the
// source unless they are empty.
//
// Errors: abi.ErrGuest if sections of the same bytes overlap, also in different
// groups.
func (b *Builder) Finish(typ, syntax string) (abi.Tree, error) {
	tree := *b.source
	if typ != "" {
		tree.Type = typ
	}
	if syntax != "" {
		tree.Syntax = syntax
	}
	if !b.changed {
		return tree, nil
	}
	tree.Sections = slices.Clone(b.sections)
	tree.Settle(b.earlier)
	if len(b.sections) == b.earlier {
		return tree, nil
	}
	return tree, b.checkOverlap(tree.Sections)
}

// Release returns the memory of the list. The tree of Finish is a copy.
func (b *Builder) Release() {
	if b.list == nil {
		return
	}
	clear(b.sections) // drop references to texts
	*b.list = list{b.sections[:0], b.places[:0]}
	lists.Put(b.list)
	*b = Builder{}
}
