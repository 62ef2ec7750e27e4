package yaml

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

const (
	maxGist = 56 // bytes of the description of a mapping
	maxItem = 24 // bytes of an item in a list of items
)

// titleFields is the number of fields that begin the title of a mapping.
const titleFields = 7

// titleField returns the position of a key among those, or -1.
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

// appendKey appends a key as a caption.
func (t *tree) appendKey(dst []byte, i int32) []byte {
	key := t.Key(t.Node(i))
	if len(key) > 0 && (key[0] == '"' || key[0] == '\'') {
		key = appendKeyText(nil, key)
	}
	return caption.Append(dst, key, rows.MaxTitle/2)
}

// appendValue appends the start of a scalar, or the size of a collection.
func (t *tree) appendValue(dst []byte, i int32) []byte {
	n := t.Node(i)
	switch n.Kind {
	case syntax.Null:
		if action := t.firstAction(i); len(action) > 0 {
			return caption.Append(dst, action, rows.MaxTitle)
		}
		return append(dst, "null"...)
	case syntax.Mapping:
		return rows.AppendCount(dst, int(n.Value), "key")
	case syntax.Sequence:
		return strconv.AppendInt(append(dst, "list of "...), int64(n.Value), 10)
	}
	start := len(dst)
	if dst = caption.Append(dst, t.scalarStart(i, 4*rows.MaxTitle), rows.MaxTitle); len(dst) == start {
		return append(dst, `""`...)
	}
	return dst
}

// appendKeyTitle appends a key and its value, or a description of its collection.
func (t *tree) appendKeyTitle(dst []byte, i int32) []byte {
	start := len(dst)
	dst = append(t.appendKey(dst, i), ':', ' ')
	if from := len(dst); t.Node(i).Kind == syntax.Mapping {
		if dst = t.appendGist(dst, i); len(dst) > from {
			return caption.Cut(dst, start, rows.MaxTitle)
		}
	}
	dst = t.appendValue(dst, i)
	if t.Node(i).Kind == syntax.Sequence {
		dst = t.appendItems(dst, i)
	}
	return caption.Cut(dst, start, rows.MaxTitle)
}

// appendItems appends the names of the first items of a sequence, or their values if
// they are scalars, up to about maxGist bytes. It stops at the first item that has
// neither, because the rest would seem to be all items.
func (t *tree) appendItems(dst []byte, at int32) []byte {
	start := len(dst)
	sep := ": "
	for i := at + 1; i < t.next[at]; i = t.after(i) {
		n := t.Node(i)
		if n.Kind == syntax.Group {
			continue
		}
		if len(dst)-start > maxGist {
			return append(dst, "..."...)
		}
		from := len(dst)
		dst = append(dst, sep...)
		before := len(dst)
		switch {
		case n.IsScalar() && n.Kind != syntax.Null:
			dst = t.appendValue(dst, i)
		case n.Kind == syntax.Mapping:
			dst = t.appendItemName(dst, i)
		}
		if len(dst) == before {
			return dst[:from]
		}
		dst = caption.Cut(dst, before, maxItem)
		sep = ", "
	}
	return dst
}

// appendItemName appends the value of the first id field of an item.
func (t *tree) appendItemName(dst []byte, at int32) []byte {
	for _, field := range rows.IDFields {
		if name := t.field(at, field); len(name) > 0 {
			return caption.Append(dst, name, maxItem)
		}
	}
	return dst
}

// appendItemTitle appends a description of an item.
func (t *tree) appendItemTitle(dst []byte, at int32) []byte {
	start := len(dst)
	if t.Node(at).Kind != syntax.Mapping {
		return t.appendValue(dst, at)
	}
	if at+1 == t.next[at] { // its keys are not noted
		p := t.Parts[at]
		return caption.Append(dst, bytes.TrimLeft(t.Text[p.Start:min(p.End, p.Start+4*rows.MaxTitle)], " -\t"), rows.MaxTitle)
	}
	if dst = t.appendGist(dst, at); len(dst) == start {
		dst = t.appendValue(dst, at)
	}
	return caption.Cut(dst, start, rows.MaxTitle)
}

// appendGist appends a description of a mapping: the values of title fields, then
// its other entries, scalars first, up to about maxGist bytes. It appends nothing if
// the entries are not noted.
func (t *tree) appendGist(dst []byte, at int32) []byte {
	start := len(dst)
	separate := func() {
		if len(dst) > start {
			dst = append(dst, ',', ' ')
		}
	}
	e := t.findGistEntries(at)
	for _, i := range e.titles {
		if i > 0 && t.Node(i).IsScalar() && !t.isID(at, i) && len(dst)-start < maxGist/2 {
			separate()
			dst = t.appendValue(dst, i)
		}
	}
	for _, entries := range [...][]int32{e.scalars[:e.scalarCount], e.others[:e.otherCount]} {
		for _, i := range entries {
			if len(dst)-start < maxGist/2 {
				separate()
				dst = t.appendValue(append(t.appendKey(dst, i), ':', ' '), i)
			}
		}
	}
	return caption.Cut(dst, start, maxGist)
}

// gistEntries contains the entries of a mapping that may describe it. Half of maxGist has
// room for at most eight.
type gistEntries struct {
	titles                  [titleFields]int32 // by title field: its node, 0 for none
	scalars, others         [8]int32           // the first entries that are not title fields
	scalarCount, otherCount int
}

// findGistEntries looks at each entry once: a mapping may have many and be described
// often.
func (t *tree) findGistEntries(at int32) (e gistEntries) {
	for i := at + 1; i < t.next[at]; i = t.after(i) {
		n := t.Node(i)
		if !n.IsEntry() {
			continue
		}
		field := titleField(t.Key(n))
		if field >= 0 && e.titles[field] == 0 {
			e.titles[field] = i
		}
		switch {
		case !n.IsScalar():
			if e.otherCount < len(e.others) {
				e.others[e.otherCount] = i
				e.otherCount++
			}
		case field < 0 && e.scalarCount < len(e.scalars):
			e.scalars[e.scalarCount] = i
			e.scalarCount++
		}
	}
	return e
}

// appendDocument appends the id and title of a document of a stream. They are its
// kind and name, as in Kubernetes, or as much of that as it has.
func (t *tree) appendDocument(id, title []byte, at int32) (_, _ []byte) {
	kind, name := t.field(at, "kind"), t.documentName(at)
	if len(kind) > rows.MaxID || len(name) > 2*rows.MaxID {
		kind = nil
	}
	start := len(title)
	switch {
	case len(name) == 0:
		id = strconv.AppendInt(id, int64(t.Places[at].Start), 10)
		if len(kind) > 0 {
			title = append(caption.Append(title, kind, rows.MaxID), ": "...)
		}
	case len(kind) == 0:
		id = append(id, name...)
		title = append(caption.Append(title, name, rows.MaxTitle), ": "...)
	default:
		id = append(append(append(id, kind...), ':'), name...)
		title = caption.Append(append(caption.Append(title, kind, rows.MaxID), ' '), name, rows.MaxTitle)
		return t.withoutAction(id, at), caption.Cut(title, start, rows.MaxTitle)
	}
	title = t.appendValue(title, at)
	if len(title) == start {
		title = append(title, "empty"...)
	}
	return t.withoutAction(id, at), caption.Cut(title, start, rows.MaxTitle)
}

// firstAction returns the first line of actions of a template below a key without a value, or nil.
func (t *tree) firstAction(at int32) []byte {
	n, end := t.Node(at), t.Parts[at].End
	if n.IsItem() || n.IsDocument() || n.End() > end {
		return nil
	}
	for line := range bytes.Lines(t.Text[n.End():end]) {
		if line = bytes.TrimSpace(line); syntax.IsAction(line) {
			return line
		}
	}
	return nil
}

// withoutAction returns the id of a document, or its position if the id has an action of a template, which is no
// name.
func (t *tree) withoutAction(id []byte, at int32) []byte {
	if bytes.Contains(id, []byte("{{")) {
		return strconv.AppendInt(id[:0], int64(t.Places[at].Start), 10)
	}
	return id
}
