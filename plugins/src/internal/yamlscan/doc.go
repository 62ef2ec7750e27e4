// Package yamlscan finds the documents, keys and list items of YAML as byte
// spans.
//
// Scan reads a text once, line by line. It knows as much of YAML 1.2 as it takes
// to tell where a key or an item begins: indentation, block scalars, quoted and
// plain scalars of several lines, flow collections, comments, document marks.
// Flow collections are leaves. It resolves nothing: aliases, tags and merge keys
// are text, so a bomb of aliases is as cheap as any other text.
//
// A part begins with the comments above its key, or above its dash. What else
// stands between parts is structure: keys and dashes alone on their lines, and
// document marks. Where the head of a collection is more than that (a comment
// above its key, an anchor behind it), it goes with the first part inside.
package yamlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxLevels    = 56      // with groups between them more are never sections
	maxDocuments = 1 << 16 // more cannot be sections
	leastRoom    = 1 << 17 // parts that are noted in any case
	partBytes    = 24      // of a long text one for so many bytes
)

// Scan proves that b is YAML with a block collection in it and finds its parts.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	s := newScanner(b, c.Forced)
	s.scan()
	if !s.census.yaml(c.Forced) {
		return nil, false
	}
	doc, t := s.document(c.GroupBy)
	if !c.Forced && t.repeats() {
		return nil, false
	}
	return doc, true
}

func newScanner(b []byte, forced bool) *scanner {
	s := &scanner{b: b, lead: -1, head: -1, levels: maxLevels, forced: forced}
	n := min(lines.Count(b)+8, s.room())
	s.parts, s.nodes = make([]part.Part, 0, n), make([]node, 0, n)
	return s
}

// room is how many parts are noted at most, so that they take a share of what
// the text takes.
func (s *scanner) room() int { return max(leastRoom, len(s.b)/partBytes) }

// document hands over what was found. A single document is not a part itself.
func (s *scanner) document(groupBy string) (*part.Doc, *tree) {
	t := &tree{b: s.b, parts: s.parts, nodes: s.nodes, groupBy: groupBy}
	var count string
	var top kind
	switch {
	case s.docs > maxDocuments:
		count, t.parts = caption.Count(s.docs, "document"), nil
	case s.docs > 1:
		count = caption.Count(s.docs, "document")
	default:
		count, top = t.contents(0), t.nodes[0].kind
		t.parts, t.nodes = t.parts[1:], t.nodes[1:]
		for i := range t.parts {
			t.parts[i].Parent--
		}
	}
	t.link()
	if by := t.groupAll(top); by != "" {
		count += ", grouped by " + by
	}
	return &part.Doc{Count: count, Parts: t.parts, Grouped: t.grouped, Name: t.name}, t
}

// start is the offset after a byte order mark.
func start(b []byte) int { return len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))) }
