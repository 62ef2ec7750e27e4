package stagetest

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// settle gives added Sections their final ids as the host does: what they have,
// the slug of their title, or their number among their siblings, made unique among
// all children of the nearest ancestor that is no group.
func (t *tree) settle() {
	taken := map[int]map[string]bool{}
	for i := range t.sections {
		s, owner := &t.sections[i], t.owner(i)
		if taken[owner] == nil {
			taken[owner] = map[string]bool{}
		}
		if i >= t.earlier {
			s.ID = t.settled(s, taken[owner])
		}
		taken[owner][s.ID] = true
	}
}

func (t *tree) settled(s *Section, taken map[string]bool) string {
	id := s.ID
	if id == "" {
		id = slug(s.Title)
	}
	if id == "" {
		id = strconv.Itoa(len(taken))
	}
	if s.Kind == stage.Group && !strings.HasPrefix(id, "@") {
		id = "@" + id
	}
	next := id
	for n := 2; taken[next]; n++ {
		next = id + "-" + strconv.Itoa(n)
	}
	return next
}

// owner is the nearest ancestor that is no group, or -1.
func (t *tree) owner(i int) int {
	p := t.sections[i].Parent
	for p >= 0 && t.sections[p].Kind == stage.Group {
		p = t.sections[p].Parent
	}
	return p
}

// slug makes an id of a title: letters and digits in lower case, every other run
// one dash, none at the ends.
func slug(title string) string {
	words := strings.FieldsFunc(title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return shorten(strings.Map(unicode.ToLower, strings.Join(words, "-")))
}

// segment escapes what a segment of a path cannot hold.
func segment(id string) string {
	var b strings.Builder
	for i, r := range id {
		if !unicode.IsSpace(r) && !unicode.IsControl(r) && !strings.ContainsRune("/%?![]", r) && (i > 0 || r != '~' && r != '@') {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return shorten(b.String())
}

// shorten ends an id of more than 60 bytes in a hash of the whole.
func shorten(id string) string {
	if len(id) <= 60 {
		return id
	}
	cut := 51
	for !utf8.RuneStart(id[cut]) {
		cut--
	}
	sum := sha256.Sum256([]byte(id))
	return id[:cut] + "-" + hex.EncodeToString(sum[:4])
}
