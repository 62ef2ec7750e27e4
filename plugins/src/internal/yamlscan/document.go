package yamlscan

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
)

// document appends the id and title of a document of a stream: its kind and
// name, as Kubernetes has them, or what else it is called by.
func (t *tree) document(id, title []byte, at int32) (_, _ []byte) {
	kind, name := t.field(at, "kind"), t.documentName(at)
	if len(kind) > maxID || len(name) > 2*maxID {
		kind = nil
	}
	start := len(title)
	switch {
	case len(name) == 0:
		id = strconv.AppendInt(id, int64(t.nodes[at].start), 10)
		if len(kind) > 0 {
			title = append(caption.Append(title, kind, maxID), ": "...)
		}
	case len(kind) == 0:
		id = append(id, name...)
		title = append(caption.Append(title, name, maxTitle), ": "...)
	default:
		id = append(append(append(id, kind...), ':'), name...)
		title = caption.Append(append(caption.Append(title, kind, maxID), ' '), name, maxTitle)
		return id, caption.Cut(title, start, maxTitle)
	}
	title = t.appendValue(title, at)
	if len(title) == start {
		title = append(title, "empty"...)
	}
	return id, caption.Cut(title, start, maxTitle)
}

// documentName is what a document is called: one of idFields, at its top or in
// its metadata.
func (t *tree) documentName(at int32) []byte {
	var found [len(idFields)]int32 // the first of each, 0 for none
	meta := int32(0)
	for i := at + 1; i < t.next[at]; i = t.after(i) {
		n := t.node(i)
		if n.kind >= opening || n.is&isItem != 0 {
			continue
		}
		key := t.b[n.start:n.end()]
		if field := idField(key); field >= 0 && found[field] == 0 {
			found[field] = i
		} else if meta == 0 && string(key) == "metadata" {
			meta = i
		}
	}
	for _, i := range found {
		if i == 0 {
			continue
		}
		if start, end := t.scalar(i); end > start && end-start <= 2*maxID {
			return t.b[start:end]
		}
	}
	if meta == 0 {
		return nil
	}
	return t.field(meta, "name")
}
