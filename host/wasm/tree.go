package wasm

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/mcpctl/mcpctl/abi"
)

// treeBuilder is the section tree of a run: that of the call, copied once
// something is added or changed.
type treeBuilder struct {
	sections []abi.Section
	places   []sectionPlace
	earlier  int // sections of the call, at the start
	text     int // bytes of ids, titles, summaries and derived bodies
	open     bool
	changed  bool
	topEnd   int          // end of the last exact Section at the top
	record   []byte       // buffer 5; nil until it is touched
	texts    []byte       // memory for ids and titles, shared by many of them
	list     *sectionList // where sections and places are kept; nil before the first change
}

// Sizes of the memory for the texts of many Sections: the first one is small, since
// most trees are, each further one four times the one before.
const (
	leastTexts = 1 << 10
	mostTexts  = 32 << 10
)

// keep is a copy of a text that a Section is added or named with, which happens
// once for each: the memory that it shares with others is that of texts in use.
func (t *treeBuilder) keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if cap(t.texts)-len(t.texts) < len(b) {
		t.texts = make([]byte, 0, max(leastTexts, min(4*cap(t.texts), mostTexts), len(b)))
	}
	from := len(t.texts)
	t.texts = append(t.texts, b...)
	return unsafe.String(&t.texts[from], len(b))
}

// treeMark is how far a tree had grown.
type treeMark struct {
	sections, text int
	texts          []byte
}

func (t *treeBuilder) mark() treeMark { return treeMark{len(t.sections), t.text, t.texts} }

// rewind drops the Sections that were added since the mark. The memory of their texts
// is used again: else a guest could have one block of it kept for each Section it adds.
func (t *treeBuilder) rewind(to treeMark) {
	t.texts = to.texts
	if len(t.sections) == to.sections {
		return
	}
	clear(t.sections[to.sections:])
	t.sections, t.text, t.record = t.sections[:to.sections], to.text, nil
	t.places, t.topEnd = t.places[:0], 0
	for i := range t.sections {
		t.locate(&t.sections[i])
	}
}

// sectionPlace is what the checks need to know about a Section beside what it is.
type sectionPlace struct {
	last  int   // end of its last exact child
	exact int32 // nearest exact Section: itself or an ancestor; -1: none
	depth int32
}

// use reads the tree of the call, once.
func (t *treeBuilder) use(r *run) {
	if t.open {
		return
	}
	t.open = true
	t.sections = r.call.Tree.Sections
	t.earlier = len(t.sections)
	t.places = make([]sectionPlace, 0, len(t.sections))
	for i := range t.sections {
		s := &t.sections[i]
		t.text += len(s.ID) + len(s.Title) + len(s.Summary) + len(s.Body)
		t.locate(s)
	}
}

// locate notes the place of a Section that stands at the end of places.
func (t *treeBuilder) locate(s *abi.Section) {
	p := sectionPlace{exact: -1}
	if s.Parent >= 0 {
		p.depth = t.places[s.Parent].depth + 1
		p.exact = t.places[s.Parent].exact
	}
	if s.Kind == abi.SectionExact {
		p.exact = int32(len(t.places))
		*t.lastEnd(s.Parent) = s.End
	}
	t.places = append(t.places, p)
}

func (t *treeBuilder) lastEnd(parent int) *int {
	if parent < 0 {
		return &t.topEnd
	}
	return &t.places[parent].last
}

func (t *treeBuilder) has(r *run, i int32) bool {
	t.use(r)
	return i >= 0 && int(i) < len(t.sections)
}

// write makes the sections the run's own before the first change.
func (t *treeBuilder) write() {
	if !t.changed {
		t.changed = true
		t.list, _ = lists.Get().(*sectionList)
		if t.list == nil {
			t.list = new(sectionList)
		}
		t.sections = append(t.list.sections[:0], t.sections...)
		t.places = append(t.list.places[:0], t.places...)
	}
}

// sectionList is memory for the sections of a run. A list that grows by append, up to
// 65,536 of them, is copied again and again, and leaves as much behind.
type sectionList struct {
	sections []abi.Section
	places   []sectionPlace
}

// lists are those that no run needs.
var lists sync.Pool

// release gives the list back. The tree of the run has a copy.
func (t *treeBuilder) release() {
	if t.list == nil {
		return
	}
	clear(t.sections) // of texts
	*t.list = sectionList{t.sections[:0], t.places[:0]}
	lists.Put(t.list)
	*t = treeBuilder{}
}

// check says why a Section cannot be added, or "".
func (t *treeBuilder) check(s *abi.Section, size int) string {
	if s.Kind == abi.SectionGroup {
		return ""
	}
	if s.Start < 0 || s.Start >= s.End || s.End > size {
		return fmt.Sprintf("span %d to %d of %d bytes", s.Start, s.End, size)
	}
	switch s.Kind {
	case abi.SectionExact:
		return t.checkExact(s)
	case abi.SectionDecoded:
		return t.checkDecoded(s)
	}
	return ""
}

func (t *treeBuilder) checkExact(s *abi.Section) string {
	around := int32(-1)
	if s.Parent >= 0 {
		around = t.places[s.Parent].exact
	}
	if around >= 0 {
		if a := &t.sections[around]; s.Start < a.Start || s.End > a.End {
			return fmt.Sprintf("span %d to %d leaves section %d, %d to %d", s.Start, s.End, around, a.Start, a.End)
		}
	}
	if s.Parent >= 0 && t.sections[s.Parent].Kind != abi.SectionExact {
		return "" // in any order; looked at when the call returns
	}
	if last := *t.lastEnd(s.Parent); s.Start < last {
		return fmt.Sprintf("starts at byte %d, before its sibling ends at %d", s.Start, last)
	}
	return ""
}

func (t *treeBuilder) checkDecoded(s *abi.Section) string {
	if s.Parent < 0 {
		return "a decoded section needs the section that holds its string as parent"
	}
	holder := t.holder(s.Parent)
	if holder < 0 {
		return "a group at the top holds no string"
	}
	switch p := &t.sections[holder]; p.Kind {
	case abi.SectionExact:
		if s.Literal[0] < p.Start || s.Literal[1] > p.End {
			return fmt.Sprintf("string at bytes %d to %d is not inside section %d", s.Literal[0], s.Literal[1], holder)
		}
		return ""
	case abi.SectionDecoded:
		if p.Literal != s.Literal {
			return fmt.Sprintf("section %d is of another string", holder)
		}
		if s.Start < p.Start || s.End > p.End {
			return fmt.Sprintf("span %d to %d leaves section %d, %d to %d", s.Start, s.End, holder, p.Start, p.End)
		}
		return ""
	default:
		return fmt.Sprintf("section %d is neither exact nor decoded", holder)
	}
}

// holder is the section at i, or the nearest one above it that is no group; -1:
// there is none.
func (t *treeBuilder) holder(i int) int {
	for i >= 0 && t.sections[i].Kind == abi.SectionGroup {
		i = t.sections[i].Parent
	}
	return i
}

// append adds a Section that was checked.
func (t *treeBuilder) append(s abi.Section) int {
	t.write()
	t.text += len(s.ID) + len(s.Title) + len(s.Body)
	t.locate(&s)
	t.sections = append(t.sections, s)
	i := len(t.sections) - 1
	if t.record != nil {
		t.record = t.appendRecord(t.record, i)
		t.countChild(s.Parent)
	}
	return i
}

// finish settles the ids and makes the last check: Sections of the same bytes,
// whatever groups stand between, do not overlap.
func (t *treeBuilder) finish(r *run, detected string) (abi.Tree, error) {
	tree := r.call.Tree
	if detected != "" {
		tree.Type = detected
	}
	if !t.changed {
		return tree, nil
	}
	tree.Sections = slices.Clone(t.sections)
	tree.Settle(t.earlier)
	if len(t.sections) == t.earlier {
		return tree, nil
	}
	return tree, t.overlap(tree.Sections)
}

// cut shortens a text to so many bytes at a boundary.
func cut(b []byte, most int) []byte {
	if len(b) > most {
		for most > 0 && !utf8.RuneStart(b[most]) {
			most--
		}
		b = b[:most]
	}
	return b
}
