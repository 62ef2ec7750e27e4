package tree

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// verify checks the Sections against the contract, because a stage may be wrong
// and a stored tree may be damaged.
func (t *Tree) verify() error {
	t.ids = makeIDTable(len(t.Sections))
	for i := range t.Sections {
		s := &t.Sections[i]
		if !isValidID(s.ID, s.Kind == abi.SectionGroup) {
			return errInvalid("id %q", s.ID)
		}
		if !t.ids.add(t, int32(i)) {
			return errInvalid("two sections %q below one", s.ID)
		}
		if err := t.verifySpan(i); err != nil {
			return err
		}
	}
	for h := int32(-1); h < int32(len(t.Sections)); h++ {
		if err := t.verifyCover(h); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) verifySpan(i int) error {
	s := &t.Sections[i]
	text := t.Original.Text
	from, to := 0, len(text)
	home := t.home[i]
	switch s.Kind {
	case abi.SectionGroup:
		return nil
	case abi.SectionDerived:
		if !utf8.Valid(s.Body) {
			return errInvalid("body of %q is not UTF-8", s.ID)
		}
		return nil
	case abi.SectionExact:
		if home >= 0 {
			from, to = t.Sections[home].Start, t.Sections[home].End
			if t.Sections[home].Kind != abi.SectionExact {
				return errInvalid("exact section %q below a decoded one", s.ID)
			}
		}
	case abi.SectionDecoded:
		source, err := t.decode(s, home)
		if err != nil {
			return err
		}
		text, from, to = source.Text, 0, len(source.Text)
		if home >= 0 && t.Sections[home].Kind == abi.SectionDecoded {
			from, to = t.Sections[home].Start, t.Sections[home].End
		}
	default:
		return errInvalid("section %q is of kind %d", s.ID, s.Kind)
	}
	if s.Start < from || s.Start >= s.End || s.End > to {
		return errInvalid("section %q is %d to %d, want a span inside %d to %d", s.ID, s.Start, s.End, from, to)
	}
	if !IsBorder(text, s.Start) || !IsBorder(text, s.End) {
		return errInvalid("section %q ends inside a character", s.ID)
	}
	return nil
}

// decode returns the decoded string that contains a decoded Section.
func (t *Tree) decode(s *abi.Section, home int32) (*Source, error) {
	from, to := 0, len(t.Original.Text)
	if home >= 0 {
		switch h := &t.Sections[home]; h.Kind {
		case abi.SectionExact:
			from, to = h.Start, h.End
		case abi.SectionDecoded:
			if h.Literal != s.Literal {
				return nil, errInvalid("section %q is of another string than its parent", s.ID)
			}
		}
	}
	if source := t.literals[s.Literal]; source != nil && from <= s.Literal[0] && s.Literal[1] <= to {
		return source, nil
	}
	if s.Literal[0] < from || s.Literal[0] >= s.Literal[1] || s.Literal[1] > to {
		return nil, errInvalid("string of section %q is outside its parent", s.ID)
	}
	text, err := jsonspan.Unquote(t.Original.Text[s.Literal[0]:s.Literal[1]])
	if err != nil {
		return nil, errInvalid("string of section %q: %v", s.ID, err)
	}
	source := &Source{Text: text, Kind: Decoded, Literal: s.Literal, syntax: t.language.Decoded(text)}
	t.literals[s.Literal] = source
	return source, nil
}

// verifyCover sorts the Sections of one home by offset and checks that they do
// not overlap.
func (t *Tree) verifyCover(home int32) error {
	list := t.cover.of(home)
	compare := func(a, b int32) int {
		startA, _ := t.Place(a)
		startB, _ := t.Place(b)
		if c := cmp.Compare(startA, startB); c != 0 {
			return c
		}
		return cmp.Compare(t.Sections[a].Start, t.Sections[b].Start)
	}
	if !slices.IsSortedFunc(list, compare) {
		slices.SortFunc(list, compare)
	}
	for r, i := range list {
		t.rank[i] = int32(r)
		if r == 0 {
			continue
		}
		before := list[r-1]
		a, b := &t.Sections[before], &t.Sections[i]
		start, _ := t.Place(i)
		_, end := t.Place(before)
		if a.Kind == abi.SectionDecoded && b.Kind == abi.SectionDecoded && a.Literal == b.Literal {
			start, end = b.Start, a.End
		}
		if start < end {
			return errInvalid("sections %q and %q overlap at byte %d", a.ID, b.ID, start)
		}
	}
	return nil
}

// isValidID reports whether id is one path segment as abi.Segment, abi.Slug and
// abi.Tree.Settle write it, which neither a line nor a path would split.
func isValidID(id string, isGroup bool) bool {
	if isGroup {
		if id == "" || id[0] != '@' {
			return false
		}
		id = id[1:]
	} else if id == "" || id[0] == '@' || id[0] == '~' {
		return false
	}
	if len(id) > MaxID {
		return false
	}
	for i := range len(id) {
		if isEscaped[id[i]] {
			return false
		}
		if id[i] >= utf8.RuneSelf {
			return hasValidRunes(id[i:])
		}
	}
	return true
}

// isEscaped marks the ASCII bytes that abi.Segment escapes.
var isEscaped = func() (escaped [256]bool) {
	for c := range utf8.RuneSelf {
		escaped[c] = c <= ' ' || c == 0x7f || strings.IndexByte("/?![]", byte(c)) >= 0
	}
	return escaped
}()

func hasValidRunes(id string) bool {
	for i, r := range id {
		if r < utf8.RuneSelf && isEscaped[r] || r >= utf8.RuneSelf && (unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf)) ||
			r == utf8.RuneError && !strings.HasPrefix(id[i:], string(utf8.RuneError)) {
			return false
		}
	}
	return true
}
