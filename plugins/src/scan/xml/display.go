package xml

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

const (
	// maxNameParts is the number of children among which the name of an element is, before
	// the first of more than maxBefore bytes.
	maxNameParts, maxBefore = 12, 1 << 10
	// maxName is the size in bytes of a name in a title.
	maxName = 60
)

// displayName returns the text that readers know element i by, unless it is the id: that
// of a child "name" or "title", of any length, or the value of a child such as
// <tag k="name" v="Cafe"/>. child is the position of that child.
func (m *namer) displayName(i int, id []byte) (name []byte, child int) {
	j := m.first(i)
	for n := 0; n < maxNameParts && m.contains(i, j) && m.Parts[j].Size() <= maxBefore; n++ {
		if m.isElement(j) {
			switch tag := &m.tags[m.Forms[j].Tag()]; {
			case isNameRank(tag.rank):
				name = bytes.TrimSpace(innerText(m.Text[m.Parts[j].Start:m.Parts[j].End], len(m.tag(j))))
			case tag.pairs != no:
				name = m.namedValue(j, tag)
			}
		}
		if len(name) > 0 && !hasOnlyMarkup(name) {
			if bytes.Equal(name, id) {
				return nil, -1
			}
			return name, j
		}
		j = m.next(j)
	}
	return nil, -1
}

// isNameRank reports whether a rank is that of "name" or "title".
func isNameRank(rank int8) bool { return rank == 0 || rank == 3 }

// namedValue returns the second attribute value of an element such as
// <field key="name" value="x"/>: it has two attributes, and the first is a key with the value
// "name" or "title". The first element of a tag decides whether all elements with that tag
// are read as such pairs.
func (m *namer) namedValue(i int, tag *tagInfo) []byte {
	a := m.attributes(i)
	if isKey := a.Next() && isWordOf(a.Name, "k", "key", "name", "property"); tag.pairs == unknown {
		if tag.pairs = no; isKey {
			tag.pairs = yes
		}
	}
	if tag.pairs == no || len(a.Value) == 0 || !isNameRank(rankOf(a.Value)) {
		return nil
	}
	if !a.Next() || !isWordOf(a.Name, "v", "value", "content") {
		return nil
	}
	return a.Value
}

func isWordOf(word []byte, words ...string) bool {
	for _, w := range words {
		if string(word) == w {
			return true
		}
	}
	return false
}

// hasOnlyMarkup reports whether the beginning of a text shows nothing to a reader.
func hasOnlyMarkup(text []byte) bool {
	if syntax.Find(text[:1], 0, '&', '<') == 1 {
		return false
	}
	var plain [6 * maxName]byte
	return len(bytes.TrimSpace(appendPlain(plain[:0], text, maxName))) == 0
}
