package section

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// Bounds of a tree (ABI 1.0 section 11), and of an id with the number that
// tells it from equal ones.
const (
	maxSections = 65536
	maxDepth    = 64
	maxID       = 80
)

// lists holds many short lists in one slice: list i is at[i] to at[i+1].
type lists struct {
	at    []int32
	items []int32
}

// of returns the list of Section i, -1 for the top level.
func (l *lists) of(i int32) []int32 { return l.items[l.at[i+1]:l.at[i+2]] }

// makeLists puts each Section into the list that key names, in order; a key
// less than -1 leaves it out.
func makeLists(n int, key func(i int) int32) lists {
	l := lists{at: make([]int32, n+2), items: make([]int32, 0, n)}
	for i := range n {
		if k := key(i); k >= -1 {
			l.at[k+2]++
		}
	}
	for i := 1; i < len(l.at); i++ {
		l.at[i] += l.at[i-1]
	}
	l.items = l.items[:l.at[len(l.at)-1]]
	next := slices.Clone(l.at)
	for i := range n {
		if k := key(i); k >= -1 {
			l.items[next[k+1]] = int32(i)
			next[k+1]++
		}
	}
	return l
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: section tree: "+format, append([]any{abi.ErrGuest}, args...)...)
}

// link fills in who belongs to whom.
func (d *Doc) link() error {
	n := len(d.sections)
	if n > maxSections {
		return bad("%d sections, limit %d", n, maxSections)
	}
	d.owner, d.home, d.rank = make([]int32, n), make([]int32, n), make([]int32, n)
	depth := make([]uint8, n)
	for i := range d.sections {
		s := &d.sections[i]
		if s.Parent < -1 || s.Parent >= i {
			return bad("section %d has parent %d", i, s.Parent)
		}
		d.owner[i], d.home[i] = int32(s.Parent), int32(s.Parent)
		if s.Parent < 0 {
			continue
		}
		if depth[i] = depth[s.Parent] + 1; depth[i] >= maxDepth {
			return bad("section %q is over %d deep", s.ID, maxDepth)
		}
		switch d.sections[s.Parent].Kind {
		case abi.SectionGroup:
			d.owner[i], d.home[i] = d.owner[s.Parent], d.home[s.Parent]
		case abi.SectionDerived:
			d.home[i] = d.home[s.Parent]
		}
	}
	d.linkKids()
	d.cover = makeLists(n, func(i int) int32 {
		if d.hasPlace(i) {
			return d.home[i]
		}
		return -2
	})
	return nil
}

// linkKids leaves out groups that hold nothing: they are no part of anything.
func (d *Doc) linkKids() {
	holds := make([]bool, len(d.sections))
	for i := len(d.sections) - 1; i >= 0; i-- {
		s := &d.sections[i]
		holds[i] = holds[i] || s.Kind != abi.SectionGroup
		if holds[i] && s.Parent >= 0 {
			holds[s.Parent] = true
		}
	}
	d.kids = makeLists(len(d.sections), func(i int) int32 {
		if holds[i] {
			return int32(d.sections[i].Parent)
		}
		return -2
	})
}

// hasPlace reports whether the Section is bytes of its home.
func (d *Doc) hasPlace(i int) bool {
	return d.sections[i].Kind == abi.SectionExact || d.sections[i].Kind == abi.SectionDecoded
}

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
	sp := &space{text: text, kind: abi.AnswerDecoded, literal: s.Literal}
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

// measure sums sizes upwards and notes what is more than ranges of one text.
func (d *Doc) measure() {
	d.size, d.mixed = make([]int, len(d.sections)), make([]bool, len(d.sections))
	for i := len(d.sections) - 1; i >= 0; i-- {
		s := &d.sections[i]
		switch s.Kind {
		case abi.SectionExact, abi.SectionDecoded:
			d.size[i] = s.End - s.Start
		case abi.SectionDerived:
			d.size[i], d.mixed[i] = len(s.Body), true
		}
		if h := d.home[i]; h >= 0 && s.Kind == abi.SectionDecoded && d.sections[h].Kind == abi.SectionExact {
			d.mixed[h] = true
		}
		if s.Parent < 0 {
			continue
		}
		if d.sections[s.Parent].Kind == abi.SectionGroup {
			d.size[s.Parent] += d.size[i]
		}
		d.mixed[s.Parent] = d.mixed[s.Parent] || d.mixed[i]
	}
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
