package section

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// verify holds the tree to the contract: a stage may lie, and a tree may come
// from a disk.
func (d *Doc) verify() error {
	d.ids = makeIDTable(len(d.sections))
	for i := range d.sections {
		s := &d.sections[i]
		if !validID(s.ID, s.Kind == abi.SectionGroup) {
			return bad("id %q", s.ID)
		}
		if !d.ids.add(d, int32(i)) {
			return bad("two sections %q below one", s.ID)
		}
		if err := d.verifySpan(i); err != nil {
			return err
		}
	}
	for h := int32(-1); h < int32(len(d.sections)); h++ {
		if err := d.verifyCover(h); err != nil {
			return err
		}
	}
	return nil
}

func (d *Doc) verifySpan(i int) error {
	s := &d.sections[i]
	text := d.original.text
	from, to := 0, len(text)
	home := d.home[i]
	switch s.Kind {
	case abi.SectionGroup:
		return nil
	case abi.SectionDerived:
		if !utf8.Valid(s.Body) {
			return bad("body of %q is not UTF-8", s.ID)
		}
		return nil
	case abi.SectionExact:
		if home >= 0 {
			from, to = d.sections[home].Start, d.sections[home].End
			if d.sections[home].Kind != abi.SectionExact {
				return bad("exact section %q below a decoded one", s.ID)
			}
		}
	case abi.SectionDecoded:
		sp, err := d.literal(s, home)
		if err != nil {
			return err
		}
		text, from, to = sp.text, 0, len(sp.text)
		if home >= 0 && d.sections[home].Kind == abi.SectionDecoded {
			from, to = d.sections[home].Start, d.sections[home].End
		}
	default:
		return bad("section %q is of kind %d", s.ID, s.Kind)
	}
	if s.Start < from || s.Start >= s.End || s.End > to {
		return bad("section %q is %d to %d, want a span inside %d to %d", s.ID, s.Start, s.End, from, to)
	}
	if !isBorder(text, s.Start) || !isBorder(text, s.End) {
		return bad("section %q ends inside a character", s.ID)
	}
	return nil
}

// literal decodes the string that a decoded Section is a part of.
func (d *Doc) literal(s *abi.Section, home int32) (*space, error) {
	from, to := 0, len(d.original.text)
	if home >= 0 {
		switch h := &d.sections[home]; h.Kind {
		case abi.SectionExact:
			from, to = h.Start, h.End
		case abi.SectionDecoded:
			if h.Literal != s.Literal {
				return nil, bad("section %q is of another string than its parent", s.ID)
			}
		}
	}
	if sp := d.literals[s.Literal]; sp != nil && from <= s.Literal[0] && s.Literal[1] <= to {
		return sp, nil
	}
	if s.Literal[0] < from || s.Literal[0] >= s.Literal[1] || s.Literal[1] > to {
		return nil, bad("string of section %q is outside its parent", s.ID)
	}
	text, err := jsonspan.Unquote(d.original.text[s.Literal[0]:s.Literal[1]])
	if err != nil {
		return nil, bad("string of section %q: %v", s.ID, err)
	}
	sp := &space{text: text, kind: flow.AnswerDecoded, literal: s.Literal, syntax: decodedSyntax(text)}
	d.literals[s.Literal] = sp
	return sp, nil
}

// place is where a Section stands in the bytes of its home.
func (d *Doc) place(i int32) (start, end int) {
	s := &d.sections[i]
	if s.Kind == abi.SectionDecoded && (d.home[i] < 0 || d.sections[d.home[i]].Kind == abi.SectionExact) {
		return s.Literal[0], s.Literal[1]
	}
	return s.Start, s.End
}

// verifyCover sorts the Sections of one home by place and wants them apart.
func (d *Doc) verifyCover(home int32) error {
	list := d.cover.of(home)
	compare := func(a, b int32) int {
		pa, _ := d.place(a)
		pb, _ := d.place(b)
		if c := cmp.Compare(pa, pb); c != 0 {
			return c
		}
		return cmp.Compare(d.sections[a].Start, d.sections[b].Start)
	}
	if !slices.IsSortedFunc(list, compare) {
		slices.SortFunc(list, compare)
	}
	for r, i := range list {
		d.rank[i] = int32(r)
		if r == 0 {
			continue
		}
		before := list[r-1]
		a, b := &d.sections[before], &d.sections[i]
		start, _ := d.place(i)
		_, end := d.place(before)
		if a.Kind == abi.SectionDecoded && b.Kind == abi.SectionDecoded && a.Literal == b.Literal {
			start, end = b.Start, a.End
		}
		if start < end {
			return bad("sections %q and %q overlap at byte %d", a.ID, b.ID, start)
		}
	}
	return nil
}

// isBorder reports whether a character may end at i.
func isBorder(b []byte, i int) bool { return i >= len(b) || utf8.RuneStart(b[i]) }

// validID reports whether id is one segment as abi.Segment, abi.Slug and
// abi.Tree.Settle spell it, so that no line and no path breaks on it.
func validID(id string, group bool) bool {
	if group {
		if id == "" || id[0] != '@' {
			return false
		}
		id = id[1:]
	} else if id == "" || id[0] == '@' || id[0] == '~' {
		return false
	}
	if len(id) > maxID {
		return false
	}
	for i := range len(id) {
		if badInID[id[i]] {
			return false
		}
		if id[i] >= utf8.RuneSelf {
			return validRunes(id[i:])
		}
	}
	return true
}

// badInID marks the ASCII bytes that abi.Segment escapes.
var badInID = func() (bad [256]bool) {
	for c := range utf8.RuneSelf {
		bad[c] = c <= ' ' || c == 0x7f || strings.IndexByte("/?![]", byte(c)) >= 0
	}
	return bad
}()

func validRunes(id string) bool {
	for i, r := range id {
		if r < utf8.RuneSelf && badInID[r] || r >= utf8.RuneSelf && (unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf)) ||
			r == utf8.RuneError && !strings.HasPrefix(id[i:], string(utf8.RuneError)) {
			return false
		}
	}
	return true
}
