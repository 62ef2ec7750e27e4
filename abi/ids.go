package abi

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a path segment in bytes. A longer segment is cut and ends with 8 hex digits
// of the SHA-256 of the whole, so that ids stay short and distinct.
const (
	maxSegment = 60
	cutSegment = 51
)

// Slug returns the id of a section for its title: letters and digits of any script in
// lower case, with a dash for every run of other characters except at the ends. It
// returns "" for a title without letters and digits.
func Slug(title string) string {
	var buf [2 * maxSegment]byte // large enough for most titles, to avoid allocations
	b, gap := buf[:0], false
	for _, r := range title {
		c := slugRune(r)
		if c == 0 {
			gap = true
			continue
		}
		if gap && len(b) > 0 {
			b = append(b, '-')
		}
		gap = false
		b = utf8.AppendRune(b, c)
	}
	return capSegment(string(b))
}

// slugRune returns a letter in lower case or a digit unchanged, and 0 for any other
// character. ASCII needs no table.
func slugRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		return r
	case 'A' <= r && r <= 'Z':
		return r + ('a' - 'A')
	case r < utf8.RuneSelf, !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return 0
	}
	return unicode.ToLower(r)
}

// Segment escapes a name from the content (a key, a tag, an element's id) as one segment
// of a path. White space, control and format characters (such as bidirectional ones),
// / % ? ! [ ], a leading ~ or @, which are reserved for the host, and bytes that are not
// UTF-8 become %XX.
func Segment(name string) string {
	if isSegment(name) {
		return name
	}
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, len(name)+16)
	for i := 0; i < len(name); {
		r, n := rune(name[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(name[i:])
		}
		if mustEscape(r, n, i) {
			for _, c := range []byte(name[i : i+n]) {
				b = append(b, '%', digits[c>>4], digits[c&15])
			}
		} else {
			b = append(b, name[i:i+n]...)
		}
		i += n
	}
	return capSegment(string(b))
}

// isSegment reports whether name is ASCII and needs no escaping.
func isSegment(name string) bool {
	if len(name) > maxSegment || name != "" && (name[0] == '~' || name[0] == '@') {
		return false
	}
	for i := range len(name) {
		if !isPlain(name[i]) {
			return false
		}
	}
	return true
}

// isPlain reports whether an ASCII character needs no escaping, unless it is a leading
// ~ or @.
func isPlain(c byte) bool {
	switch c {
	case '/', '%', '?', '!', '[', ']':
		return false
	}
	return c > ' ' && c < 0x7f
}

func mustEscape(r rune, size, pos int) bool {
	if r < utf8.RuneSelf {
		return !isPlain(byte(r)) || pos == 0 && (r == '~' || r == '@')
	}
	return r == utf8.RuneError && size == 1 || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf)
}

func capSegment(s string) string {
	if len(s) <= maxSegment {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	cut := cutSegment
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	if i := strings.LastIndexByte(s[cut-2:cut], '%'); i >= 0 {
		cut += i - 2 // inside an escape
	}
	return s[:cut] + "-" + hex.EncodeToString(sum[:4])
}

// Settle sets the final id of every Section from index "from" on. The id is the one
// that the Section has, else the slug of its title, else its position among siblings of
// the same kind, ordered by start. It is made unique among all children of the nearest
// ancestor that is not a group ("setup", "setup-2", the next free number). The id of a
// group begins with @. Ids of earlier Sections never change.
func (t *Tree) Settle(from int) {
	owners := t.owners()
	taken := newSiblings(t, owners)
	for i := range t.Sections[:from] {
		taken.add(i, t.Sections[i].ID)
	}
	var positions []int
	for i := from; i < len(t.Sections); i++ {
		s := &t.Sections[i]
		if s.ID == "" {
			s.ID = Slug(s.Title)
		}
		if s.ID == "" {
			if positions == nil {
				positions = t.positions(owners)
			}
			s.ID = strconv.Itoa(positions[i])
		}
		if s.Kind == SectionGroup && !strings.HasPrefix(s.ID, "@") {
			s.ID = "@" + s.ID
		}
		s.ID = taken.name(i, s.ID)
	}
}

// positions numbers the children of each owner and kind from 0, ordered by start. The
// number depends neither on groups nor on the order in which Sections were added.
func (t *Tree) positions(owners []int) []int {
	order := make([]int, len(t.Sections))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Sections[a].Start, t.Sections[b].Start) })
	type key struct {
		owner int
		kind  SectionKind
	}
	next := make(map[key]int)
	positions := make([]int, len(t.Sections))
	for _, i := range order {
		k := key{owners[i], t.Sections[i].Kind}
		positions[i] = next[k]
		next[k]++
	}
	return positions
}

// owners returns the nearest ancestor of each Section that is not a group, or -1.
func (t *Tree) owners() []int {
	owners := make([]int, len(t.Sections))
	for i := range t.Sections {
		owners[i] = t.Sections[i].Parent
		if p := owners[i]; p >= 0 && t.Sections[p].Kind == SectionGroup {
			owners[i] = owners[p]
		}
	}
	return owners
}
