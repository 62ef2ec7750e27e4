package stage

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Top is the parent of Sections at the top level.
const Top = -1

// Sections is the drill-down tree: what earlier stages left and what this one
// adds. A Section is named by its position, parents before children; a Section
// never moves and never goes.
//
// A filter cannot add any: Unsupported.
type Sections struct{ call *call }

// SectionKind is the kind of a Section.
type SectionKind int32

// The section kinds.
const (
	Exact   = SectionKind(raw.SectionExact)   // bytes of the original
	Group   = SectionKind(raw.SectionGroup)   // no bytes of its own
	Decoded = SectionKind(raw.SectionDecoded) // bytes of a decoded JSON string
	Derived = SectionKind(raw.SectionDerived) // the stage's own text
)

// Section is what List tells about one.
type Section struct {
	Parent     int // Top or a position
	Kind       SectionKind
	Start, End int
	Depth      int // 0 at the top
	Children   int // direct ones
	HasSummary bool
}

// Len is the number of Sections.
func (s Sections) Len() int {
	return s.call.count(raw.BufLen(raw.BufSections)) / raw.SectionRecordSize
}

// List is the tree as it is now.
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

// Add makes b[start:end] a child of parent and returns its position.
//
// The kind follows from b. Of Original, of Input in the first stage or while it
// equals the original, and of views of them, it is Exact. Of what JSON.Get or
// JSON.Text gave for a string of such a Buf it is Decoded. Of anything else it is
// Derived: the host copies the text and marks it as the stage's own.
//
// Without an id (see SetID) the host makes one from the title.
//
// Limits: 65,536 Sections, 64 levels; a title is cut at 256 bytes.
// Errors: BadArg if the span is empty or outside, cuts a code point, leaves the
// nearest exact ancestor, or starts before its sibling has ended; Limit. Nothing
// is added then.
func (s Sections) Add(parent int, b Buf, start, end int, title string) (int, error) {
	return position(raw.SectionAdd(word(parent), b.id(), word(start), word(end), title))
}

// Group adds a child of parent that has no bytes of its own. The path of a Section
// does not change by standing in one.
func (s Sections) Group(parent int, title string) (int, error) {
	return position(raw.SectionAdd(word(parent), raw.BufNone, 0, 0, title))
}

// Derived adds a child of parent with a text of the stage's own, of up to 1 MiB.
func (s Sections) Derived(parent int, text, title string) (int, error) {
	h := raw.BufPut(text)
	if h < 0 {
		return -1, newError(h)
	}
	i, err := position(raw.SectionAdd(word(parent), h, 0, word(len(text)), title))
	raw.BufFree(h)
	return i, err
}

// SetID names a Section that was added in this call. An id comes from names in the
// content, never from config or an LLM, so that paths stay. The host escapes what
// a path cannot hold and numbers equal siblings.
//
// Errors: BadArg for a Section of an earlier stage or an empty id.
func (s Sections) SetID(i int, id string) error { return check(raw.SectionID(word(i), id)) }

// SetTitle sets or replaces the title.
func (s Sections) SetTitle(i int, title string) error {
	return s.fromText(title, func(b Buf) error { return s.SetTitleSpan(i, b, 0, -1) })
}

// SetTitleSpan is SetTitle from n bytes of b (-1: to the end), for example from
// a heading.
func (s Sections) SetTitleSpan(i int, b Buf, off, n int) error {
	return check(raw.SectionTitle(word(i), b.id(), word(off), word(n)))
}

// SetSummary sets or replaces the summary from n bytes of b (-1: to the end), for
// example from an LLM's answer. It is cut at 2 KiB.
func (s Sections) SetSummary(i int, b Buf, off, n int) error {
	return check(raw.SectionSummary(word(i), b.id(), word(off), word(n)))
}

// SetSummaryText is SetSummary from a text of the stage's own.
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

// SectionText says which text of a Section is meant.
type SectionText int32

// The texts of a Section.
const (
	TextID      = SectionText(raw.SectionTextID) // empty while an added Section was given none
	TextTitle   = SectionText(raw.SectionTextTitle)
	TextSummary = SectionText(raw.SectionTextSummary)
	TextBody    = SectionText(raw.SectionTextBody)
)

// Text is a text of a Section. Body is its bytes, of a group empty.
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
