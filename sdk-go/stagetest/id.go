package stagetest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// sibling identifies a Section among the children of its owner.
type sibling struct {
	owner int
	id    string
}

// settle sets the final ids of added Sections as the host does: the id of the stage, the
// slug of the title, or the number among its siblings, unique among all children of the
// nearest ancestor that is not a group.
func (t *tree) settle() {
	taken := map[sibling]int{} // value: the highest number tried
	numbers := t.siblingNumbers()
	for i := range t.sections {
		s, owner := &t.sections[i], t.owner(i)
		if i >= t.earlier {
			s.ID = uniqueID(taken, sibling{owner, s.wantedID(numbers[i])})
		}
		taken[sibling{owner, s.ID}] = 1
	}
}

func (s *Section) wantedID(number int) string {
	id := s.ID
	if id == "" {
		id = slug(s.Title)
	}
	if id == "" {
		id = strconv.Itoa(number)
	}
	if s.Kind == stage.Group && !strings.HasPrefix(id, "@") {
		id = "@" + id
	}
	return id
}

// uniqueID returns the wanted id, or the first of id-2, id-3, ... that is not taken.
func uniqueID(taken map[sibling]int, want sibling) string {
	n, ok := taken[want]
	if !ok {
		return want.id
	}
	for {
		n++
		next := sibling{want.owner, want.id + "-" + strconv.Itoa(n)}
		if _, ok := taken[next]; !ok {
			taken[want] = n
			return next.id
		}
	}
}

// siblingNumbers returns the number of each Section among the children of its owner, in the
// order of their starts and separately for each kind.
func (t *tree) siblingNumbers() []int {
	order := make([]int, len(t.sections))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.sections[a].Start - t.sections[b].Start })
	type row struct {
		owner int
		kind  stage.SectionKind
	}
	next := map[row]int{}
	numbers := make([]int, len(t.sections))
	for _, i := range order {
		r := row{t.owner(i), t.sections[i].Kind}
		numbers[i] = next[r]
		next[r]++
	}
	return numbers
}

// owner returns the nearest ancestor that is not a group, or -1.
func (t *tree) owner(i int) int {
	p := t.sections[i].Parent
	for p >= 0 && t.sections[p].Kind == stage.Group {
		p = t.sections[p].Parent
	}
	return p
}

// slug derives an id from a title: letters and digits in lower case, and a dash for each
// run of other characters, except at the ends.
func slug(title string) string {
	words := strings.FieldsFunc(title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return shorten(strings.Map(unicode.ToLower, strings.Join(words, "-")))
}

// escapeSegment escapes characters that a segment of a path cannot contain and invisible
// characters. An id is UTF-8.
func escapeSegment(id string) string {
	var b strings.Builder
	for i, r := range id {
		if !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf) && !strings.ContainsRune("/%?![]", r) && (i > 0 || r != '~' && r != '@') {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return shorten(b.String())
}

// shorten replaces the end of an id of more than 60 bytes by a hash of the whole. It does
// not cut characters or escapes.
func shorten(id string) string {
	if len(id) <= 60 {
		return id
	}
	cut := 51
	for !utf8.RuneStart(id[cut]) {
		cut--
	}
	if i := strings.LastIndexByte(id[cut-2:cut], '%'); i >= 0 {
		cut += i - 2
	}
	sum := sha256.Sum256([]byte(id))
	return id[:cut] + "-" + hex.EncodeToString(sum[:4])
}
