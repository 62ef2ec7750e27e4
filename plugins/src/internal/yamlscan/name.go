package yamlscan

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxTitle = 80 // bytes of a title that the host shows
	maxID    = 40 // bytes of the longest value that serves as an id
)

var (
	// idFields are asked for the id of an item.
	idFields = []string{"id", "name", "key", "title"}
	// titleFields are what an item is called by, spareFields if it has none of them.
	titleFields = []string{"id", "name", "title", "label", "key", "entity_id", "type", "kind"}
	spareFields = []string{"_id", "uid", "text", "subject", "summary", "message", "description", "path", "url"}
)

// name is the part.Doc.Name of a tree.
func (t *tree) name(i int, n *part.Name) {
	at := int32(i)
	node := &t.nodes[i]
	switch {
	case t.isDocument(at):
		n.ID, n.Title = t.document(n.ID, n.Title, at)
	case node.item:
		t.choose(t.parts[i].Parent)
		n.ID = t.itemID(n.ID, node)
		n.Title = t.itemTitle(n.Title, at)
	default:
		n.ID = appendText(n.ID, t.b[node.start:node.end])
		n.Title = t.keyTitle(n.Title, at)
	}
}

func (t *tree) isDocument(at int32) bool {
	n := &t.nodes[at]
	return t.parts[at].Parent < 0 && !n.item && n.end == 0
}

// itemID appends the id of an item once it is chosen.
func (t *tree) itemID(dst []byte, n *node) []byte {
	if n.end > 0 {
		return append(dst, t.b[n.start:n.end]...)
	}
	return strconv.AppendInt(dst, int64(n.start), 10)
}

// keyTitle appends a key and its value, or what that holds.
func (t *tree) keyTitle(dst []byte, at int32) []byte {
	start, n := len(dst), &t.nodes[at]
	dst = caption.Append(dst, appendText(nil, t.b[n.start:n.end]), maxTitle/2)
	dst = append(dst, ": "...)
	dst = t.appendValue(dst, at, maxTitle)
	return caption.Cut(bytes.TrimRight(dst, " "), start, maxTitle)
}

// appendValue appends the start of a value, or what a collection holds.
func (t *tree) appendValue(dst []byte, at int32, max int) []byte {
	n := &t.nodes[at]
	switch n.kind {
	case null:
		return append(dst, "null"...)
	case mapping:
		return append(dst, t.contents(at)...)
	case sequence:
		return strconv.AppendInt(append(dst, "list of "...), int64(n.kids), 10)
	}
	start := len(dst)
	if dst = caption.Append(dst, t.text(at, 4*max), max); len(dst) == start {
		return append(dst, `""`...)
	}
	return dst
}

// text is the start of a scalar, about max bytes of it, without the quotes round
// it.
func (t *tree) text(at int32, max int) []byte {
	n := &t.nodes[at]
	text := t.b[n.val:t.parts[at].End]
	switch n.kind {
	case plain, quoted:
		if n.kind == plain {
			line, _, _ := bytes.Cut(text[:min(len(text), max)], []byte("\n"))
			if i := bytes.Index(line, []byte(" #")); i >= 0 {
				text = text[:i]
			}
		} else {
			text = text[1:]
			if i := bytes.IndexByte(text, t.b[n.val]); i >= 0 {
				text = text[:i]
			}
		}
	case literal:
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
	}
	return text[:min(len(text), max)]
}
