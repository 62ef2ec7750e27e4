package xml

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// group is a set of children of an element: those of one tag, or those with one value
// of an attribute.
type group struct {
	id, title string
	by        string // the attribute, empty for a tag
	part      int32
	size      int // number of members
}

// namer names the parts of a text.
type namer struct {
	identifier
	groups    []group // by part, ascending
	described int     // the element with its fields above the index, or -1
}

func newNamer(found *syntax.Tree) *namer { return &namer{identifier: newIdentifier(found)} }

// group returns the group that part i is.
func (m *namer) group(i int) *group {
	k, _ := slices.BinarySearchFunc(m.groups, int32(i), func(g group, i int32) int { return int(g.part - i) })
	return &m.groups[k]
}

// name is the part.Doc.Name of a text.
func (m *namer) name(i int, n *part.Name) {
	p := m.Parts[i]
	switch whole := m.Text[p.Start:p.End]; m.Forms[i] {
	case syntax.Group:
		g := m.group(i)
		n.ID, n.Title = append(n.ID, g.id...), append(n.Title, g.title...)
	case syntax.Comment:
		n.ID, n.Title = append(n.ID, "#comment"...), appendRaw(n.Title, bytes.TrimSuffix(whole[4:], []byte("-->")), "comment")
	case syntax.CDATA:
		n.ID, n.Title = append(n.ID, "#cdata"...), appendRaw(n.Title, bytes.TrimSuffix(whole[9:], []byte("]]>")), "CDATA")
	case syntax.StartTag:
		n.ID, n.Title = append(n.ID, "#tag"...), appendRaw(n.Title, whole, "tag")
	case syntax.Attribute:
		a := m.AttributeOf(i)
		n.ID, n.Title = append(n.ID, a.Name...), appendRaw(n.Title, a.Value, "empty")
	case syntax.Text:
		n.ID, n.Title = append(n.ID, "#text"...), appendText(n.Title, whole, "text")
	default:
		m.nameElement(i, n)
	}
}

// minDescribed is the size in bytes from which an element has a summary of the fields
// of its children. Smaller ones are mostly read as a whole.
const minDescribed = 6000

// nameElement names element i by its tag and its id.
func (m *namer) nameElement(i int, n *part.Name) {
	tag := m.tag(i)
	var id []byte
	n.ID = append(n.ID, tag...)
	if m.Parts[i].Parent >= 0 {
		if id = m.id(i, tag); id != nil {
			n.ID = append(append(n.ID, '='), id...)
		}
	}
	n.Title = m.appendTitle(n.Title, i, tag, id)
	if m.Forms[i].IsWide() && i != m.described && m.Parts[i].Size() >= minDescribed {
		n.Summary = append(n.Summary, fieldsLine(&m.tree, i)...)
	}
}
