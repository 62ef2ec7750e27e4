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
	maxLevels    = 56        // with groups between them more are never sections
	maxDocuments = 1 << 16   // more cannot be sections
	maxEntries   = 1 << 16   // of one collection: the same
	leastRoom    = 101 << 10 // parts that are noted in any case: 3.7 MB, what a text of 1 MB may take
	partBytes    = 24        // of a long text one for so many bytes
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

// IsScalar reports whether a text of one document is no collection, which its first
// line says that is no comment. Scan finds nothing in it, but after reading on.
func IsScalar(b []byte) bool {
	s := scanner{b: b}
	for at := start(b); at < len(b); at = lines.End(b, at) {
		p := s.spaces(at)
		switch {
		case eol(b, p), b[p] == '\t' && s.blankFrom(p):
		case b[p] == '#', b[p] == '{' && s.template(p), b[p] == '%' && p == at:
		case b[p] == '\t':
			return false // this is odd, and the next line may begin it
		default:
			return s.token(p).is == scalar && !s.ends(s.properties(p))
		}
	}
	return false
}

func newScanner(b []byte, forced bool) *scanner {
	s := &scanner{b: b, lead: -1, head: -1, levels: maxLevels, forced: forced}
	n := min(len(b)/partBytes+8, sampleParts)
	s.parts, s.nodes = make([]part.Part, 0, n), make([]place, 0, n)
	return s
}

// sampleParts tell how many a text has.
const sampleParts = 1 << 12

// grow makes room for the parts there will be if the text goes on as up to at, or
// leaves out the deepest. Slices that double would leave their smaller selves
// behind, and take too much. It returns where a part stands now, or -1.
func (s *scanner) grow(at int, owner int32) int32 {
	n, room := len(s.parts), s.room()
	if n >= room {
		return s.shrink(owner)
	}
	all := n * len(s.b) / (at + 1)
	all = min(max(n+n/8, all+all/16), room)
	s.parts, s.nodes = roomy(s.parts, all), roomy(s.nodes, all)
	return owner
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
		count = caption.Count(s.docs, "document")
		t.parts, t.nodes = nil, nil
	case s.docs > 1:
		count = caption.Count(s.docs, "document")
	default:
		count, top = t.contents(0), t.node(0).kind
		t.parts, t.nodes = t.parts[1:], t.nodes[1:]
		for i := range t.parts {
			t.parts[i].Parent--
		}
		if s.nodes[0].val > maxEntries { // none of them is shown, only what tells whether this is YAML is read
			n := min(len(t.parts), sampleParts)
			t.parts, t.nodes = t.parts[:n], t.nodes[:n]
			t.link()
			return &part.Doc{Count: count}, t
		}
	}
	t.link()
	by := t.groupAll(top)
	return &part.Doc{Count: count, By: by, Parts: t.parts, Grouped: t.grouped, Name: t.name}, t
}

// start is the offset after a byte order mark.
func start(b []byte) int { return len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))) }
