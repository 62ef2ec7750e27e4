package stage

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Top is the parent of Sections at the top level.
const Top = -1

// Sections is the drill-down tree: Sections of earlier stages and of this one. A
// Section is identified by its position, which never changes; parents come before
// children.
//
// A filter cannot add Sections: Unsupported.
type Sections struct{ call *call }

// SectionKind is the kind of a Section.
type SectionKind int32

// The section kinds.
const (
	Exact   = SectionKind(raw.SectionExact)   // bytes of the original
	Group   = SectionKind(raw.SectionGroup)   // no bytes of its own
	Decoded = SectionKind(raw.SectionDecoded) // bytes of a decoded JSON string
	Derived = SectionKind(raw.SectionDerived) // text of the stage
)

// Section has the properties of a Section; see Sections.List.
type Section struct {
	Parent     int // Top or a position
	Kind       SectionKind
	Start, End int
	Depth      int // 0 at the top
	Children   int // direct children
	HasSummary bool
}

// Len returns the number of Sections.
func (s Sections) Len() int {
	return s.call.count(raw.BufLen(raw.BufSections)) / raw.SectionRecordSize
}

// List returns the current tree.
func (s Sections) List() []Section {
	page := make([]byte, s.Len()*raw.SectionRecordSize)
	s.call.count(raw.BufRead(raw.BufSections, 0, unsafe.Pointer(unsafe.SliceData(page)), word(len(page))))
	list := make([]Section, len(page)/raw.SectionRecordSize)
	for i := range list {
		r := page[i*raw.SectionRecordSize:]
		list[i] = Section{
			Parent: int(int32(u32(r, 0))), Kind: SectionKind(u32(r, 1)), Start: u32(r, 2), End: u32(r, 3),
			Depth: u32(r, 4), Children: u32(r, 5), HasSummary: int32(u32(r, 6))&raw.SectionHasSummary != 0,
		}
	}
	return list
}

// Add adds b[start:end] as a child of parent and returns its position.
//
// b determines the kind. A span of the original, of an input that equals the original,
// or of a view of them is Exact. A span of a string that JSON.Get or JSON.Text decoded
// from such a Buf is Decoded. Any other span is Derived: the host copies the text and
// marks it as text of the stage.
//
// Without an id (see SetID) the host derives one from the title.
//
// Limits: 65,536 Sections, 64 levels; a title is cut at 256 bytes.
// Errors: BadArg if the span is empty or out of range, cuts a code point, is not within
// the nearest exact ancestor, or starts before the end of the previous sibling; Limit.
// Then nothing is added.
func (s Sections) Add(parent int, b Buf, start, end int, title string) (int, error) {
	return position(raw.SectionAdd(word(parent), b.id(), word(start), word(end), title))
}

// Group adds a child of parent without bytes of its own. A group is not part of the
// paths of its children.
func (s Sections) Group(parent int, title string) (int, error) {
	return position(raw.SectionAdd(word(parent), raw.BufNone, 0, 0, title))
}

// Derived adds a child of parent with text of the stage, of up to 1 MiB.
func (s Sections) Derived(parent int, text, title string) (int, error) {
	h := raw.BufPut(text)
	if h < 0 {
		return -1, newError(h)
	}
	i, err := position(raw.SectionAdd(word(parent), h, 0, word(len(text)), title))
	raw.BufFree(h)
	return i, err
}

// SetID sets the id of a Section that was added in this call. Derive ids from names in
// the content, never from config or an LLM, so that paths are stable. The host escapes
// characters that a path cannot contain and numbers equal siblings.
//
// Errors: BadArg for a Section of an earlier stage or an empty id.
func (s Sections) SetID(i int, id string) error { return check(raw.SectionID(word(i), id)) }

// SetTitle sets or replaces the title.
func (s Sections) SetTitle(i int, title string) error {
	return s.fromText(title, func(b Buf) error { return s.SetTitleSpan(i, b, 0, -1) })
}

// SetTitleSpan is like SetTitle, from n bytes of b (-1: to the end), for example from
// a heading.
func (s Sections) SetTitleSpan(i int, b Buf, off, n int) error {
	return check(raw.SectionTitle(word(i), b.id(), word(off), word(n)))
}

// SetSummary sets or replaces the summary from n bytes of b (-1: to the end), for
// example from an LLM's answer. It is cut at 2 KiB.
func (s Sections) SetSummary(i int, b Buf, off, n int) error {
	return check(raw.SectionSummary(word(i), b.id(), word(off), word(n)))
}

// SetSummaryText is like SetSummary, from text of the stage.
func (s Sections) SetSummaryText(i int, summary string) error {
	return s.fromText(summary, func(b Buf) error { return s.SetSummary(i, b, 0, -1) })
}

func (s Sections) fromText(text string, set func(Buf) error) error {
	b, err := s.call.handle(raw.BufPut(text))
	if err != nil {
		return err
	}
	defer b.Free()
	return set(b)
}

// SectionText selects a text of a Section.
type SectionText int32

// The texts of a Section.
const (
	TextID      = SectionText(raw.SectionTextID) // empty for a new Section without an id
	TextTitle   = SectionText(raw.SectionTextTitle)
	TextSummary = SectionText(raw.SectionTextSummary)
	TextBody    = SectionText(raw.SectionTextBody)
)

// Text returns a text of a Section. The body of a group is empty.
//
// Errors: NotFound if there is no such Section.
func (s Sections) Text(i int, what SectionText) (Buf, error) {
	return s.call.handle(raw.SectionText(word(i), int32(what)))
}

func position(result int32) (int, error) {
	if result < 0 {
		return -1, newError(result)
	}
	return int(result), nil
}
