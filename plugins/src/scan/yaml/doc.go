// Package yaml names the documents, keys and list items of YAML, and groups those
// of long collections. Package syntax finds them.
package yaml

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml/syntax"
)

// maxEntries is the number of entries of one collection. More cannot be sections.
const maxEntries = 1 << 16

// Hints are the extensions and media types of YAML.
const Hints = "yaml yml application/yaml application/x-yaml text/yaml"

// Scan is the part.Scan of YAML. It accepts a text with a block collection if
// nearly all lines are valid. A template of YAML is accepted if that is true of the text between its actions, and
// it has the name of YAML or begins with an action.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	if doc, ok := scan(b, b, c, 0); ok {
		return doc, true
	}
	named := part.HasExtension(c.File, Hints)
	if !named && !syntax.OpensTemplate(b) {
		return nil, false
	}
	plain, actions, ok := syntax.FillActions(b)
	if !ok {
		return nil, false
	}
	least := 1
	if !named {
		least += actions / actionsPerPart
	}
	return scan(b, plain, c, least)
}

// actionsPerPart is how many lines of actions there may be for each part of a template without the name of YAML. A
// file of definitions, which other templates use, has more.
const actionsPerPart = 4

// scan reads plain, which is b or, of a template, b without its actions. Names are those in b. The branches of a
// template may have the same keys, and lines that do not fit to each other. least is the least number of
// parts of a template, and 0 if the text is none.
func scan(b, plain []byte, c part.Clues, least int) (*part.Doc, bool) {
	found := syntax.Parse(plain, c.Forced)
	if least > 0 {
		found.Evidence.Odd /= 2
	}
	if len(found.Parts) < least || !found.Evidence.IsYAML(c.Forced) {
		return nil, false
	}
	found.Text = b
	t := &tree{Tree: *found}
	doc := &part.Doc{}
	var top syntax.Kind
	hidden := false // the entries are too many to be shown
	switch {
	case t.Documents > syntax.MaxDocuments:
		doc.Count = caption.Count(t.Documents, "document")
		t.truncate(0)
	case t.Documents > 1:
		doc.Count = caption.Count(t.Documents, "document")
	default:
		root := t.Node(0)
		doc.Count, top, hidden = countEntries(root), root.Kind, root.Value > maxEntries
		t.removeRoot()
	}
	if hidden {
		t.truncate(syntax.SampleParts)
	}
	t.link()
	if !hidden {
		g := &grouper{namer: namer{tree: t}, groupBy: c.GroupBy}
		doc.By = g.groupAll(top)
		doc.Parts, doc.Grouped, doc.Name = t.Parts, g.grouped, g.name
	}
	if !c.Forced && least == 0 && t.hasRepeatedKeys() {
		return nil, false
	}
	return doc, true
}

// IsScalar reports whether a text of one document is not a collection, judging by
// its first line that is not a comment. Scan refuses such a text too, but reads more
// of it.
func IsScalar(b []byte) bool { return syntax.IsScalar(b) }

// IsMark reports whether b begins with a document mark: --- or ..., followed by a
// blank or a line end.
func IsMark(b []byte) bool { return syntax.IsMark(b) }

// countEntries returns the number of entries of a collection as text.
func countEntries(n syntax.Node) string {
	switch n.Kind {
	case syntax.Mapping:
		return caption.Count(int(n.Value), "key")
	case syntax.Sequence:
		return caption.Count(int(n.Value), "item")
	}
	return ""
}
