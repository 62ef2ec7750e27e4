package syntax

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// beginDocument begins a document. If there are too many to be named, they share
// one node.
func (s *scanner) beginDocument(at int) {
	s.docs++
	if s.docs > MaxDocuments {
		s.truncate(0)
		s.levels = 0
	}
	if len(s.parts) == cap(s.parts) {
		s.grow(at, -1)
	}
	s.doc = int32(len(s.parts))
	s.parts = append(s.parts, part.Part{Start: int32(at), Parent: -1, Form: uint8(Document)})
	s.places = append(s.places, Place{Start: int32(s.docs - 1)})
	s.state, s.lead, s.head = pending, -1, -1
}

// readMark reads a line that begins with a document mark. Content after the mark is
// part of the document, and then the mark is too. Comments above the first document
// belong to it.
func (s *scanner) readMark(from int) {
	end := lines.End(s.b, from)
	p := skipBlanks(s.b, from+3)
	bare := isBlank(s.b, p)
	begin := from
	if bare {
		begin = end
	}
	switch {
	case !s.isEmpty():
		s.closeCollections(0, from)
		s.parts[s.doc].End = int32(from)
		s.beginDocument(begin)
	case s.head < 0:
		s.parts[s.doc].Start = int32(begin)
	}
	s.at = end
	if bare {
		return
	}
	s.addToHead(from)
	if p = skipProperties(s.b, p); !isEnd(s.b, p) {
		s.readRoot(p)
	}
}

// readRoot reads a document that is one scalar or flow collection.
func (s *scanner) readRoot(p int) {
	s.evidence.roots++
	s.setValue(s.doc, s.readValue(p, -1), p)
}

// finish ends the last document. If it has only comments, they belong to the
// document before it.
func (s *scanner) finish() {
	end, empty := len(s.b), s.isEmpty()
	s.closeCollections(0, end)
	s.parts[s.doc].End = int32(end)
	if !empty || s.docs == 1 {
		return
	}
	s.truncate(s.doc)
	s.docs--
	if s.head < 0 {
		return
	}
	for i := s.doc - 1; i >= 0; i = s.parts[i].Parent {
		s.parts[i].End = int32(end)
	}
}

// MinEmbedded is the size in bytes of the smallest value that may be an embedded
// document.
const MinEmbedded = 1000

// addEmbedded adds two nodes if the value of node i is an embedded document, such as
// a file in a ConfigMap: one for the text of the document, and one for the text
// before it. The value begins at p and ends at s.at.
func (s *scanner) addEmbedded(i int32, p int) {
	if s.at-p < MinEmbedded || len(s.open) >= s.levels || len(s.parts)+2 > MaxParts(len(s.b)) {
		return
	}
	n := s.node(i)
	text := p
	if n.Kind == Literal {
		text = lines.End(s.b, p)
	}
	if !isEmbedded(n, n.text(s.b), s.b[text:s.at]) {
		return
	}
	s.parts = append(s.parts,
		part.Part{Start: s.parts[i].Start, End: int32(text), Parent: i, Form: uint8(Head)},
		part.Part{Start: int32(text), End: int32(s.at), Parent: i, Kind: part.Text, Form: uint8(Content)})
	s.places = append(s.places, Place{}, Place{})
}

// isEmbedded reports whether the text of a node is probably a document: its key is a
// file name, or it begins like JSON or XML.
func isEmbedded(n Node, key, text []byte) bool {
	first := bytes.TrimLeft(text, " \t\r\n")
	if len(first) == 0 {
		return false
	}
	if n.Kind == Literal {
		return !n.IsItem() && hasExtension(key) || bytes.IndexByte([]byte("{[<"), first[0]) >= 0
	}
	first = bytes.TrimLeft(first, "[{ \t\r\n")
	return n.Kind == Flow && len(first) > 0 && first[0] == '"'
}

// extensions are file name extensions of types that have a scanner.
var extensions = []string{"json", "yaml", "yml", "xml", "md", "html", "csv"}

func hasExtension(key []byte) bool {
	i := bytes.LastIndexByte(key, '.')
	return i >= 0 && slices.Contains(extensions, string(bytes.TrimRight(key[i+1:], `"'`)))
}
