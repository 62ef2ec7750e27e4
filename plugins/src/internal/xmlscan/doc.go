// Package xmlscan finds the elements of XML as byte spans.
//
// Scan reads a text once and proves that its tags balance to the end. It knows
// as much of XML as that takes: quoted values, comments, CDATA, processing
// instructions and document types. It resolves nothing: neither entities nor
// namespaces, so an entity bomb is a text as any other. Whether attributes are
// unique or characters allowed is not its business.
package xmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

const (
	maxNoted    = 64      // levels of elements that are parts at most
	maxDepth    = 1 << 17 // levels of elements that are read
	maxChildren = 1 << 16 // of one element; the sections of a content are as many at most
)

// Scan is the part.Scan of XML. Forced takes texts whose tags do not balance: a
// "<" that begins nothing is text, an element that is not closed ends with what
// holds it.
//
// XHTML is well-formed and no document of XML to a reader: it is refused unless
// forced.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	s := &scanner{b: b, lenient: c.Forced, at: len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))}
	if !s.begins() || !s.scan() || s.elements == 0 {
		return nil, false
	}
	if !c.Forced && bytes.EqualFold(tagName(b, s.root), []byte("html")) {
		return nil, false
	}
	d := &document{b: b, parts: s.parts, wide: make(map[int32]bool, len(s.wide))}
	for _, i := range s.wide {
		d.wide[s.parts[i].Start] = true
	}
	d.group(s.wide)
	doc := &part.Doc{Count: caption.Count(s.elements, "element"), Parts: d.parts, Name: d.name}
	doc.Lines = declaration(b)
	if line := rootLine(b, s.root); line != "" {
		doc.Lines = append(doc.Lines, line)
	}
	return doc, true
}

// document names the parts of a text.
type document struct {
	b      []byte
	parts  []part.Part
	groups map[int32]group // by part
	wide   map[int32]bool  // by where an element begins: it has many children
}
