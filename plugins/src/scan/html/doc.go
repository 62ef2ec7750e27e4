// Package html finds the headings and blocks of HTML as byte spans.
//
// HTML is rarely balanced, so Scan builds no tree of elements. It reads tags once and
// cuts the text at headings, which nest by their levels, and between two headings at
// the beginnings of blocks, rows and items. The parts join to the whole text: no bytes
// are between parts except in scripts and styles, because their text is a part of its
// own.
package html

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Scan is the part.Scan of HTML. A document is recognized by its type or its first
// tag. A fragment is accepted if nearly all of its tags are known and it has hardly
// any text outside of them, unlike Markdown with some tags. If forced, Scan accepts
// any text with a tag.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	s := &scanner{b: b, at: len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))}
	if s.components = strings.HasSuffix(c.File, TemplateName); s.components {
		s.document = true
	} else if !c.Forced && !s.hasHTMLStart() {
		return nil, false
	}
	s.readAll()
	if s.tags == 0 || !c.Forced && !s.document && !s.isFragment() {
		return nil, false
	}
	o := &outline{scanner: s}
	o.build()
	count := caption.Count(s.headingCount, "heading")
	if len(s.headings) == 0 {
		count = caption.Count(len(o.parts), "block")
	}
	doc := &part.Doc{Count: count, Parts: o.parts, Name: o.name}
	if line := s.titleLine(); line != "" {
		doc.Lines = []string{line}
	}
	return doc, true
}

// titleLine returns a line with the title of the page, empty if it has none.
func (s *scanner) titleLine() string {
	if s.title == (span{}) {
		return ""
	}
	if text := appendText(nil, s.title.of(s.b), maxTitle); len(text) > 0 {
		return "title: " + string(text)
	}
	return ""
}
