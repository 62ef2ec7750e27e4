package stagetest

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// tree has the Sections of one call and facts about each.
type tree struct {
	sections  []Section
	facts     []fact
	earlier   int // number of Sections of earlier stages
	textBytes int // size of ids, titles, summaries and derived bodies
	topEnd    int // end of the last exact Section at the top
	original  string
}

// fact has the properties of a Section that the checks need.
type fact struct {
	depth    int
	children int
	exact    int // nearest exact ancestor, -1 if none
	lastEnd  int // end of its last ordered child
}

func (t *tree) start(sections []Section, original string) {
	t.original, t.earlier = original, len(sections)
	for _, s := range sections {
		s.Text = t.text(s)
		t.append(s)
	}
}

// text returns the bytes of a Section of the Call.
func (t *tree) text(s Section) string {
	switch s.Kind {
	case stage.Exact:
		return t.original[s.Start:s.End]
	case stage.Decoded:
		return testhost.Unquote([]byte(t.original[s.Literal.Start:s.Literal.End]))[s.Start:s.End]
	case stage.Group:
		return ""
	}
	return s.Text
}

func (t *tree) append(s Section) {
	f := fact{exact: t.exactAncestor(s.Parent)}
	if s.Parent >= 0 {
		p := &t.facts[s.Parent]
		p.children++
		f.depth = p.depth + 1
	}
	if t.isOrdered(s) {
		*t.lastEnd(s.Parent) = s.End
	}
	t.sections, t.facts = append(t.sections, s), append(t.facts, f)
	t.textBytes += len(s.ID) + len(s.Title) + len(s.Summary)
	if s.Kind == stage.Derived {
		t.textBytes += len(s.Text)
	}
}

// truncate drops all Sections except the first n.
func (t *tree) truncate(n int) {
	kept := t.sections[:n]
	*t = tree{earlier: t.earlier, original: t.original}
	for _, s := range kept {
		t.append(s)
	}
}

// isOrdered reports whether a Section must start after the end of its siblings: an exact
// Section at the top or under an exact one.
func (t *tree) isOrdered(s Section) bool {
	return s.Kind == stage.Exact && (s.Parent < 0 || t.sections[s.Parent].Kind == stage.Exact)
}

func (t *tree) lastEnd(parent int) *int {
	if parent < 0 {
		return &t.topEnd
	}
	return &t.facts[parent].lastEnd
}

// exactAncestor returns parent or the nearest exact Section above it.
func (t *tree) exactAncestor(parent int) int {
	if parent < 0 || t.sections[parent].Kind == stage.Exact {
		return parent
	}
	return t.facts[parent].exact
}

// records returns buffer 5.
func (t *tree) records() []byte {
	b := make([]byte, 0, len(t.sections)*raw.SectionRecordSize)
	for i, s := range t.sections {
		flags := int32(0)
		if s.Summary != "" {
			flags |= raw.SectionHasSummary
		}
		for _, v := range [...]int{s.Parent, int(s.Kind), s.Start, s.End, t.facts[i].depth, t.facts[i].children, int(flags), 0} {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	return b
}

func (h *host) SectionAdd(parent, buf, start, end int32, title string) int32 {
	return h.addSection(parent, buf, start, end, "", title)
}

// addSection adds a Section, with an id unless that is empty.
func (h *host) addSection(parent, buf, start, end int32, id, title string) int32 {
	if code := h.checkParent(parent); code < 0 {
		return code
	}
	s, code := h.newSection(buf, start, end)
	if code < 0 {
		return code
	}
	s.Parent, s.Title = int(parent), strings.Clone(title)
	if why := h.tree.checkPlace(s); why != "" {
		return h.Bad(why)
	}
	more := 0
	if s.Kind == stage.Derived {
		more = len(s.Text)
	}
	if !utf8.ValidString(id) {
		return h.Bad("id is not UTF-8")
	}
	if id != "" {
		s.ID = escapeSegment(id)
	}
	if code := h.fitText(&s.Title, raw.LimitTitleBytes, -more-len(s.ID)); code < 0 {
		return code
	}
	h.tree.append(s)
	return int32(len(h.tree.sections) - 1)
}

// checkParent checks whether a Section may have another child.
func (h *host) checkParent(parent int32) int32 {
	switch {
	case h.call.Context.Filter:
		return h.Refuse(raw.CodeUnsupported, "sections in a filter")
	case parent < -1 || int(parent) >= len(h.tree.sections):
		return h.Bad("no parent " + strconv.Itoa(int(parent)))
	case len(h.tree.sections) >= h.limits.Sections:
		return h.Refuse(raw.CodeLimit, "more than "+testhost.Commas(h.limits.Sections)+" sections")
	case parent >= 0 && h.tree.facts[parent].depth+1 >= raw.LimitSectionDepth:
		return h.Refuse(raw.CodeLimit, "sections deeper than 64")
	}
	return 0
}

// newSection returns a Section with the kind and the span that follow from a buffer.
func (h *host) newSection(buf, start, end int32) (Section, int32) {
	if buf == raw.BufNone {
		if start != 0 || end != 0 {
			return Section{}, h.Bad("a group has no span")
		}
		return Section{Kind: stage.Group}, 0
	}
	p, b, code := h.Span(buf, start, end-start)
	if code < 0 {
		return Section{}, code
	}
	if end <= start || !utf8.Valid(p) {
		return Section{}, h.Bad("span " + strconv.Itoa(int(start)) + " to " + strconv.Itoa(int(end)) + " is empty or cuts a code point")
	}
	if b.From.Kind == stage.Derived {
		if len(p) > raw.LimitDerivedBytes {
			return Section{}, h.Refuse(raw.CodeLimit, "derived body over 1 MiB")
		}
		return Section{Kind: stage.Derived, End: len(p), Text: string(p)}, 0
	}
	off := b.From.Off
	return Section{Kind: b.From.Kind, Start: off + int(start), End: off + int(end), Literal: b.From.Literal, Text: string(p)}, 0
}

// checkPlace returns the reason why a Section cannot be a child of its parent, or "".
func (t *tree) checkPlace(s Section) string {
	switch s.Kind {
	case stage.Exact:
		if a := t.exactAncestor(s.Parent); a >= 0 && (s.Start < t.sections[a].Start || s.End > t.sections[a].End) {
			return "leaves its nearest exact ancestor"
		}
		if t.isOrdered(s) && s.Start < *t.lastEnd(s.Parent) {
			return "starts at " + testhost.Commas(s.Start) + ", before its sibling ends at " + testhost.Commas(*t.lastEnd(s.Parent))
		}
	case stage.Decoded:
		return t.checkDecodedPlace(s)
	}
	return ""
}

// nearestHolder returns i or the nearest ancestor that is not a group, or -1.
func (t *tree) nearestHolder(i int) int {
	for i >= 0 && t.sections[i].Kind == stage.Group {
		i = t.sections[i].Parent
	}
	return i
}

func (t *tree) checkDecodedPlace(s Section) string {
	if s.Parent < 0 {
		return "a decoded section needs the section that holds its string as parent"
	}
	holder := t.nearestHolder(s.Parent)
	if holder < 0 {
		return "a group at the top holds no string"
	}
	switch p := t.sections[holder]; {
	case p.Kind == stage.Exact && (s.Literal.Start < p.Start || s.Literal.End > p.End):
		return "its string is not inside its parent"
	case p.Kind == stage.Decoded && p.Literal != s.Literal:
		return "its parent is of another string"
	case p.Kind == stage.Decoded && (s.Start < p.Start || s.End > p.End):
		return "leaves its decoded parent"
	case p.Kind == stage.Derived:
		return "its parent is neither exact nor decoded"
	}
	return ""
}

// countText counts text towards the limit of all texts.
func (h *host) countText(n int) int32 {
	if h.tree.textBytes+n > raw.LimitSectionTextBytes {
		return h.Refuse(raw.CodeLimit, "titles, summaries and derived bodies over 8 MiB")
	}
	return 0
}

// fitText cuts a text at a character boundary and checks whether it fits in place of a text
// of old bytes.
func (h *host) fitText(text *string, limit, old int) int32 {
	if !utf8.ValidString(*text) {
		return h.Bad("text is not UTF-8")
	}
	if len(*text) > limit {
		for !utf8.RuneStart((*text)[limit]) {
			limit--
		}
		*text = (*text)[:limit]
	}
	return h.countText(len(*text) - old)
}

func (h *host) SectionTitle(section, buf, off, n int32) int32 {
	return h.setText(section, buf, off, n, raw.LimitTitleBytes, func(s *Section) *string { return &s.Title })
}

func (h *host) SectionSummary(section, buf, off, n int32) int32 {
	return h.setText(section, buf, off, n, raw.LimitSummaryBytes, func(s *Section) *string { return &s.Summary })
}

func (h *host) setText(section, buf, off, n int32, limit int, field func(*Section) *string) int32 {
	if h.call.Context.Filter {
		return h.Refuse(raw.CodeUnsupported, "sections in a filter")
	}
	p, _, code := h.Span(buf, off, n)
	if code < 0 {
		return code
	}
	s, code := h.section(section)
	if code < 0 {
		return code
	}
	text, old := string(p), field(s)
	if code := h.fitText(&text, limit, len(*old)); code < 0 {
		return code
	}
	h.tree.textBytes += len(text) - len(*old)
	*old = text
	return 0
}

func (h *host) section(i int32) (*Section, int32) {
	switch {
	case h.call.Context.Filter:
		return nil, h.Refuse(raw.CodeUnsupported, "sections in a filter")
	case i < 0 || int(i) >= len(h.tree.sections):
		return nil, h.Refuse(raw.CodeNotFound, "no section "+strconv.Itoa(int(i)))
	}
	return &h.tree.sections[i], 0
}

func (h *host) SectionID(section int32, id string) int32 {
	s, code := h.section(section)
	switch {
	case code < 0:
		return code
	case int(section) < h.tree.earlier:
		return h.Bad("section " + strconv.Itoa(int(section)) + " is of an earlier stage")
	case id == "" || !utf8.ValidString(id):
		return h.Bad("id is empty or not UTF-8")
	}
	id = escapeSegment(id)
	if code := h.countText(len(id) - len(s.ID)); code < 0 {
		return code
	}
	h.tree.textBytes += len(id) - len(s.ID)
	s.ID = id
	return 0
}
