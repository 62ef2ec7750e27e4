package yaml

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// group is a set of entries of one collection.
type group struct {
	id, title string
	members   []int32
}

// namer names the nodes of a tree and its groups.
type namer struct {
	*tree
	groups []group // by Place.Start of a node of kind syntax.Group
}

// name is the part.Doc.Name of a tree.
func (m *namer) name(i int, n *part.Name) {
	at, p := int32(i), m.Parts[i]
	switch node := m.Node(at); {
	case node.Kind == syntax.Head:
		n.ID, n.Title = append(n.ID, "head"...), caption.Append(n.Title, m.Text[p.Start:p.End], rows.MaxTitle)
	case node.Kind == syntax.Content:
		n.ID, n.Title = append(n.ID, "text"...), caption.Append(n.Title, m.Text[p.Start:min(p.End, p.Start+8*rows.MaxTitle)], rows.MaxTitle)
		if key := m.Node(p.Parent); !key.IsItem() {
			n.Hint = appendKeyText(n.Hint, m.Key(key))
		}
	case node.Kind == syntax.Group:
		n.ID, n.Title = append(n.ID, m.groups[node.Start].id...), append(n.Title, m.groups[node.Start].title...)
	case node.IsDocument():
		n.ID, n.Title = m.appendDocument(n.ID, n.Title, at)
	case node.IsItem():
		m.chooseIDs(p.Parent)
		n.ID = m.appendItemID(n.ID, m.Node(at)) // chooseIDs may have changed the node
		n.Title = m.appendItemTitle(n.Title, at)
	default:
		n.ID = appendKeyText(n.ID, m.Key(node))
		n.Title = m.appendKeyTitle(n.Title, at)
	}
}

// groupTitle returns the name of a group, its size and the names of its first
// members.
func (m *namer) groupTitle(name string, members []int32, noun string) string {
	title := caption.Append(nil, []byte(name), rows.MaxID)
	title = rows.AppendCount(append(title, ": "...), len(members), noun)
	sep := ": "
	for _, i := range members {
		if len(title) > rows.MaxTitle {
			break
		}
		title = m.appendShortName(append(title, sep...), i)
		sep = ", "
	}
	return string(caption.Cut(title, 0, rows.MaxTitle))
}

// appendShortName appends the name of an entry in the title of a group.
func (m *namer) appendShortName(dst []byte, at int32) []byte {
	n := m.Node(at)
	switch {
	case n.IsDocument():
		if name := m.documentName(at); len(name) > 0 {
			return caption.Append(dst, name, rows.MaxID)
		}
		return strconv.AppendInt(dst, int64(n.Start), 10)
	case n.IsItem():
		return m.appendItemID(dst, n)
	}
	if name := m.field(at, "name"); len(name) > 0 {
		return caption.Append(dst, name, rows.MaxID)
	}
	return m.appendKey(dst, at)
}
