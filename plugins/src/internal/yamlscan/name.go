package yamlscan

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxTitle = 80 // bytes of a title that the host shows
	maxGist  = 56 // bytes that say what a mapping is about
	maxItem  = 24 // bytes of an item in a list of some
	maxID    = 40 // bytes of the longest value that serves as an id
)

// idFields are asked for the id of an item.
var idFields = [...]string{"id", "name", "key", "title"}

// idField is the position of a key in idFields, or -1.
func idField(key []byte) int {
	switch string(key) {
	case "id":
		return 0
	case "name":
		return 1
	case "key":
		return 2
	case "title":
		return 3
	}
	return -1
}

// titleFields is how many keys stand first in the title of a mapping.
const titleFields = 7

// titleField is the place of a key among those, or -1.
func titleField(key []byte) int {
	switch string(key) {
	case "id":
		return 0
	case "name":
		return 1
	case "title":
		return 2
	case "label":
		return 3
	case "kind":
		return 4
	case "summary":
		return 5
	case "description":
		return 6
	}
	return -1
}

// name is the part.Doc.Name of a tree.
func (t *tree) name(i int, n *part.Name) {
	at := int32(i)
	node := t.node(at)
	switch {
	case node.kind == opening:
		n.ID, n.Title = append(n.ID, "head"...), caption.Append(n.Title, t.b[t.parts[i].Start:t.parts[i].End], maxTitle)
	case node.kind == content:
		n.ID, n.Title = append(n.ID, "text"...), caption.Append(n.Title, t.b[t.parts[i].Start:min(t.parts[i].End, t.parts[i].Start+8*maxTitle)], maxTitle)
		if key := t.node(t.parts[i].Parent); key.is&isItem == 0 {
			n.Hint = appendText(n.Hint, t.b[key.start:key.end()])
		}
	case node.kind == bundle:
		n.ID, n.Title = append(n.ID, t.groups[node.start].id...), append(n.Title, t.groups[node.start].title...)
	case node.is&isDocument != 0:
		n.ID, n.Title = t.document(n.ID, n.Title, at)
	case node.is&isItem != 0:
		t.choose(t.parts[i].Parent)
		n.ID = t.itemID(n.ID, t.node(at)) // which may have been chosen just now
		n.Title = t.itemTitle(n.Title, at)
	default:
		n.ID = appendText(n.ID, t.b[node.start:node.end()])
		n.Title = t.keyTitle(n.Title, at)
	}
}

// itemID appends the id of an item once it is chosen.
func (t *tree) itemID(dst []byte, n node) []byte {
	if n.size > 0 {
		return append(dst, t.b[n.start:n.end()]...)
	}
	return strconv.AppendInt(dst, int64(n.start), 10)
}

// keyTitle appends a key and its value, or what that holds.
func (t *tree) keyTitle(dst []byte, at int32) []byte {
	start := len(dst)
	dst = append(t.appendKey(dst, at), ':', ' ')
	if from := len(dst); t.node(at).kind == mapping {
		if dst = t.gist(dst, at); len(dst) > from {
			return caption.Cut(dst, start, maxTitle)
		}
	}
	dst = t.appendValue(dst, at)
	if t.node(at).kind == sequence {
		dst = t.list(dst, at)
	}
	return caption.Cut(dst, start, maxTitle)
}

// list appends what the first items of a sequence are called, or what they are if
// they are scalars, up to about maxGist bytes. It stops at the first that is
// neither: the others would stand for all of them.
func (t *tree) list(dst []byte, at int32) []byte {
	start := len(dst)
	sep := ": "
	for i := at + 1; i < t.next[at]; i = t.after(i) {
		n := t.node(i)
		if n.kind == bundle {
			continue
		}
		if len(dst)-start > maxGist {
			return append(dst, "..."...)
		}
		from := len(dst)
		dst = append(dst, sep...)
		before := len(dst)
		switch {
		case n.isScalar() && n.kind != null:
			dst = t.appendValue(dst, i)
		case n.kind == mapping:
			dst = t.itemName(dst, i)
		}
		if len(dst) == before {
			return dst[:from]
		}
		dst = caption.Cut(dst, before, maxItem)
		sep = ", "
	}
	return dst
}

// itemName appends what an item is called: the value of the first of idFields that
// it has.
func (t *tree) itemName(dst []byte, at int32) []byte {
	for _, field := range idFields {
		if name := t.field(at, field); len(name) > 0 {
			return caption.Append(dst, name, maxItem)
		}
	}
	return dst
}

func (t *tree) appendKey(dst []byte, at int32) []byte {
	n := t.node(at)
	key := t.b[n.start:n.end()]
	if len(key) > 0 && (key[0] == '"' || key[0] == '\'') {
		key = appendText(nil, key)
	}
	return caption.Append(dst, key, maxTitle/2)
}

// itemTitle appends what an item holds.
func (t *tree) itemTitle(dst []byte, at int32) []byte {
	start := len(dst)
	if t.node(at).kind != mapping {
		return t.appendValue(dst, at)
	}
	if at+1 == t.next[at] { // its keys are not noted
		p := t.parts[at]
		return caption.Append(dst, bytes.TrimLeft(t.b[p.Start:min(p.End, p.Start+4*maxTitle)], " -\t"), maxTitle)
	}
	if dst = t.gist(dst, at); len(dst) == start {
		dst = t.appendValue(dst, at)
	}
	return caption.Cut(dst, start, maxTitle)
}

// gist appends what a mapping is about, nothing if its entries are not noted:
// what it is called, else its entries, scalars first, up to about maxGist bytes.
func (t *tree) gist(dst []byte, at int32) []byte {
	start := len(dst)
	sep := func() {
		if len(dst) > start {
			dst = append(dst, ',', ' ')
		}
	}
	of := t.gather(at)
	for _, i := range of.titles {
		if i > 0 && t.node(i).isScalar() && !t.isID(at, i) && len(dst)-start < maxGist/2 {
			sep()
			dst = t.appendValue(dst, i)
		}
	}
	for _, entries := range [...][]int32{of.scalars[:of.scalar], of.others[:of.other]} {
		for _, i := range entries {
			if len(dst)-start < maxGist/2 {
				sep()
				dst = t.appendValue(append(t.appendKey(dst, i), ':', ' '), i)
			}
		}
	}
	return caption.Cut(dst, start, maxGist)
}

// gathered are the entries of a mapping that could tell what it is about. Half of
// maxGist holds no more than eight.
type gathered struct {
	titles          [titleFields]int32 // 0 for none
	scalars, others [8]int32           // the first that are no titles
	scalar, other   int
}

// gather looks at each entry once: a mapping may have many, and be asked often.
func (t *tree) gather(at int32) (g gathered) {
	for i := at + 1; i < t.next[at]; i = t.after(i) {
		n := t.node(i)
		if n.kind >= opening {
			continue
		}
		field := titleField(t.b[n.start:n.end()])
		if field >= 0 && g.titles[field] == 0 {
			g.titles[field] = i
		}
		switch {
		case !n.isScalar():
			if g.other < len(g.others) {
				g.others[g.other] = i
				g.other++
			}
		case field < 0 && g.scalar < len(g.scalars):
			g.scalars[g.scalar] = i
			g.scalar++
		}
	}
	return g
}

func (n node) isScalar() bool { return n.kind != mapping && n.kind != sequence }

// isID reports whether the value of a field is the id of the item it is of.
func (t *tree) isID(at, field int32) bool {
	of := t.node(at)
	return of.is&isItem != 0 && of.size > 0 && (t.nodes[field].val == of.start || t.nodes[field].val+1 == of.start)
}

// appendValue appends the start of a value, or what a collection holds.
func (t *tree) appendValue(dst []byte, at int32) []byte {
	n := t.node(at)
	switch n.kind {
	case null:
		return append(dst, "null"...)
	case mapping:
		dst = append(strconv.AppendInt(dst, int64(n.val), 10), " key"...)
		if n.val != 1 {
			dst = append(dst, 's')
		}
		return dst
	case sequence:
		return strconv.AppendInt(append(dst, "list of "...), int64(n.val), 10)
	}
	start := len(dst)
	if dst = caption.Append(dst, t.text(at, 4*maxTitle), maxTitle); len(dst) == start {
		return append(dst, `""`...)
	}
	return dst
}

// text is the start of a scalar, about max bytes of it, without the quotes round
// it.
func (t *tree) text(at int32, max int) []byte {
	n := t.node(at)
	text := t.b[n.val:t.parts[at].End]
	switch n.kind {
	case plain, quoted:
		if n.kind == plain {
			line, _, _ := bytes.Cut(text[:min(len(text), max)], []byte("\n"))
			if i := comment(line); i >= 0 {
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
