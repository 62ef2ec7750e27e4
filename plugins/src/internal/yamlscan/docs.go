package yamlscan

import (
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// begin begins a document. More of them than can be named share one part.
func (s *scanner) begin(at int) {
	s.docs++
	if s.docs > maxDocuments {
		s.parts, s.nodes, s.levels = s.parts[:0], s.nodes[:0], 0
	}
	if len(s.parts) == cap(s.parts) {
		s.grow(at, -1)
	}
	s.doc = int32(len(s.parts))
	s.parts = append(s.parts, part.Part{Start: int32(at), Parent: -1, Form: uint8(isDocument)})
	s.nodes = append(s.nodes, place{start: int32(s.docs - 1)})
	s.state, s.lead, s.head = pending, -1, -1
}

// mark reads a line that begins with --- or ... . What stands behind the mark is
// part of the document, and so is the mark then. Comments above the first
// document belong to it.
func (s *scanner) mark(from int) {
	end := lines.End(s.b, from)
	p := s.blanks(from + 3)
	bare := s.blankFrom(p)
	begin := from
	if bare {
		begin = end
	}
	switch {
	case !s.empty():
		s.close(0, from)
		s.parts[s.doc].End = int32(from)
		s.begin(begin)
	case s.head < 0:
		s.parts[s.doc].Start = int32(begin)
	}
	s.at = end
	if bare {
		return
	}
	s.above(from)
	if p = s.properties(p); !s.ends(p) {
		s.root(p)
	}
}

// root reads a document that is one scalar or flow collection.
func (s *scanner) root(p int) {
	s.census.roots++
	s.holds(s.doc, s.value(p, -1), p)
}

// finish ends the last document. If that has comments only, they are the end of
// the one before.
func (s *scanner) finish() {
	end, empty := len(s.b), s.empty()
	s.close(0, end)
	s.parts[s.doc].End = int32(end)
	if !empty || s.docs == 1 {
		return
	}
	s.parts, s.nodes = s.parts[:s.doc], s.nodes[:s.doc]
	s.docs--
	if s.head < 0 {
		return
	}
	for i := s.doc - 1; i >= 0; i = s.parts[i].Parent {
		s.parts[i].End = int32(end)
	}
}
