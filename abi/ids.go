package abi

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of one path segment: longer ones are cut and end in 8 hex digits of
// the SHA-256 of the whole, so that ids stay short and apart.
const (
	maxSegment = 60
	cutSegment = 51
)

// Slug makes the id of a section from its title: letters and digits of any
// script in lower case, every other run one dash, none at the ends. A title
// without either gives "".
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range title {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return capSegment(b.String())
}

// Segment spells a name of the content (a key, a tag, an element's id) as one
// segment of a path: blank, control characters and / % ? ! [ ] become %XX, so
// do a leading ~ or @, which are the host's.
func Segment(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if mustEscape(r, n, i) {
			for _, c := range []byte(name[i : i+n]) {
				b.WriteByte('%')
				b.WriteString(strings.ToUpper(hex.EncodeToString([]byte{c})))
			}
		} else {
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	return capSegment(b.String())
}

func mustEscape(r rune, size, pos int) bool {
	if r == utf8.RuneError && size == 1 || unicode.IsSpace(r) || unicode.IsControl(r) {
		return true
	}
	return strings.ContainsRune("/%?![]", r) || pos == 0 && (r == '~' || r == '@')
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
	return s[:cut] + "-" + hex.EncodeToString(sum[:4])
}

// Settle gives every Section from index "from" on its final id: what it has, or
// the slug of its title, or its number among its siblings; made unique among
// all children of the nearest ancestor that is no group ("setup", "setup-2",
// next free number). Ids of earlier Sections never change.
func (t *Tree) Settle(from int) {
	taken := make([]map[string]int, len(t.Sections)+1) // by owner+1: id -> highest number tried
	kids := make([]int, len(t.Sections)+1)
	owners := t.owners()
	claim := func(i int) {
		o := owners[i] + 1
		if taken[o] == nil {
			taken[o] = make(map[string]int)
		}
		taken[o][t.Sections[i].ID] = 1
		kids[o]++
	}
	for i := range t.Sections[:from] {
		claim(i)
	}
	for i := from; i < len(t.Sections); i++ {
		s, o := &t.Sections[i], owners[i]+1
		if s.ID == "" {
			s.ID = Slug(s.Title)
		}
		if s.ID == "" {
			s.ID = strconv.Itoa(kids[o])
		}
		if s.Kind == SectionGroup && !strings.HasPrefix(s.ID, "@") {
			s.ID = "@" + s.ID
		}
		s.ID = free(taken[o], s.ID)
		claim(i)
	}
}

// free returns id or the first of id-2, id-3, ... that is not taken.
func free(taken map[string]int, id string) string {
	n, ok := taken[id]
	if !ok {
		return id
	}
	for {
		n++
		next := id + "-" + strconv.Itoa(n)
		if _, ok := taken[next]; !ok {
			taken[id] = n
			return next
		}
	}
}

// owners gives for each Section its nearest ancestor that is no group, or -1.
func (t *Tree) owners() []int {
	owners := make([]int, len(t.Sections))
	for i, s := range t.Sections {
		owners[i] = s.Parent
		if p := s.Parent; p >= 0 && t.Sections[p].Kind == SectionGroup {
			owners[i] = owners[p]
		}
	}
	return owners
}
