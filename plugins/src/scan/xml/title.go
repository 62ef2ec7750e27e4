package xml

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// appendTitle appends the title of element i: the name that readers know it by, its
// attributes, then its text or a list of its children, without its id and the attribute
// of its group. One of many children has its id in the title, because ids are not shown
// where children are folded.
func (m *namer) appendTitle(dst []byte, i int, tag, id []byte) []byte {
	start := len(dst)
	by := ""
	if up := int(m.Parts[i].Parent); up >= 0 && m.Forms[up] == syntax.Group {
		by = m.group(up).by
	}
	if up := m.parent(i); id != nil && up >= 0 && m.Forms[up].IsWide() {
		dst = appendName(dst, id, maxShown)
	}
	name, child := []byte(nil), -1
	a := syntax.AttributesAfter(m.Text, int(m.Parts[i].Start)+1+len(tag))
	switch isNamed := a.Next() && isNameRank(rankOf(a.Name)); {
	case isNamed && id == nil: // too long for an id
		name, by = a.Value, string(a.Name)
	case !isNamed:
		name, child = m.displayName(i, id)
	}
	sep := " "
	if name != nil {
		dst = appendName(separate(dst, start, " "), name, maxName)
		sep = ": "
	}
	a = syntax.AttributesAfter(m.Text, int(m.Parts[i].Start)+1+len(tag))
	for len(dst)-start <= rows.MaxTitle && a.Next() {
		if !syntax.IsNamespace(a.Name) && (id == nil || !bytes.Equal(a.Value, id)) && string(a.Name) != by {
			dst = appendAttribute(separate(dst, start, sep), a)
			sep = " "
		}
	}
	if len(dst)-start < rows.MaxTitle {
		dst = m.appendContent(dst, start, i, id, child)
	}
	if dst = caption.Cut(dst, start, rows.MaxTitle); len(dst) > start {
		return dst
	}
	if id == nil {
		id = tag
	}
	return appendText(dst, id, "element")
}

// appendContent appends the text of element i, or its children without those that have
// the id and the name. The title begins at dst[start].
func (m *namer) appendContent(dst []byte, start, i int, id []byte, child int) []byte {
	c := m.countTags(i)
	if c.n == 0 {
		text := appendUnescaped(nil, innerText(m.Text[m.Parts[i].Start:m.Parts[i].End], len(m.tag(i))), rows.MaxTitle)
		if len(text) > 0 {
			dst = append(separate(dst, start, ": "), text...)
		}
		return dst
	}
	sep := ": "
	for k, t := range c.tags[:c.n] {
		var value []byte
		if t.count == 1 {
			value = m.value(t.first, len(m.tag(t.first)))
		}
		if value != nil && bytes.Equal(value, id) || t.first == child && t.count == 1 {
			continue
		}
		dst = m.appendTagCount(separate(dst, start, sep), t, value, k == c.n-1)
		if sep = ", "; len(dst)-start > rows.MaxTitle {
			return dst
		}
	}
	if c.others > 0 {
		return strconv.AppendInt(append(dst, ", +"...), int64(c.others), 10)
	}
	if c.n == 1 && !m.hasText(c.tags[0]) { // the tag alone is not informative
		var first [rows.MaxLines]int32
		n := 0
		for j := m.first(i); n < len(first) && m.contains(i, j); j = m.next(j) {
			first[n] = int32(j)
			n++
		}
		dst = m.appendNames(dst, start, first[:n])
	}
	return dst
}

// appendTagCount appends a tag of children with its count, or the value of the only
// child. A long text is shown only for the last tag: it leaves no room for others.
func (m *namer) appendTagCount(dst []byte, t tagCount, value []byte, last bool) []byte {
	tag := m.tag(t.first)
	if m.tags[m.Forms[t.first].Tag()].plain {
		dst = append(dst, tag...)
	} else {
		dst = caption.Append(dst, tag, maxShown)
	}
	if value != nil {
		return appendUnescaped(append(dst, '='), value, maxShown)
	}
	if t.count > 1 {
		return strconv.AppendInt(append(dst, ' '), int64(t.count), 10)
	}
	if text := m.text(t.first, len(tag)); last && len(text) > 0 {
		return appendUnescaped(append(dst, '='), text, maxShown)
	}
	return dst
}

// hasText reports whether the tag has one element and that has text.
func (m *namer) hasText(t tagCount) bool {
	return t.count == 1 && len(m.text(t.first, len(m.tag(t.first)))) > 0
}

// maxTags is the number of tags of children that a title lists.
const maxTags = 8

// tagCounts holds the tags of the children of an element.
type tagCounts struct {
	tags   [maxTags]tagCount
	n      int
	others int // elements with other tags
}

type tagCount struct {
	first, count int // position of the first element; number of elements
}

// countTags counts the children of element i by their tags.
func (m *namer) countTags(i int) (c tagCounts) {
	for j := m.first(i); m.contains(i, j); j = m.next(j) {
		if m.isElement(j) {
			c.add(&m.tree, j)
		}
	}
	return c
}

func (c *tagCounts) add(t *tree, j int) {
	for k := range c.tags[:c.n] {
		if known := &c.tags[k]; t.hasSameTag(known.first, j) {
			known.count++
			return
		}
	}
	if c.n == len(c.tags) {
		c.others++
		return
	}
	c.tags[c.n] = tagCount{j, 1}
	c.n++
}

// appendNames appends the names of elements, or their texts if they have no names.
// The title begins at dst[start].
func (m *namer) appendNames(dst []byte, start int, elements []int32) []byte {
	sep := ": "
	for _, j := range elements[:min(len(elements), rows.MaxLines)] {
		if len(dst)-start > rows.MaxTitle {
			break
		}
		if !m.isElement(int(j)) {
			continue
		}
		tag := m.tag(int(j))
		name := m.id(int(j), tag)
		if name == nil {
			name = m.value(int(j), len(tag))
		}
		if name == nil { // an only child, which needs no id
			if v, rank := m.childID(int(j)); rank != keyRank { // the first key of a property list is not its name
				name = v
			}
		}
		if name != nil {
			dst = appendUnescaped(append(dst, sep...), name, maxShown)
			sep = ", "
		}
	}
	return dst
}
