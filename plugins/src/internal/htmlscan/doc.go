// Package htmlscan finds the headings and blocks of HTML as byte spans.
//
// HTML seldom balances, so Scan builds no tree of elements. It reads tags once
// and cuts the text: at headings, which nest by their levels, and between two
// headings where blocks, rows and items begin. What is cut joins to the whole:
// no byte lies between parts but in scripts and styles, the text of which is a
// part of its own.
package htmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Scan is the part.Scan of HTML. A document says what it is by its type or its
// first tag; a fragment is taken if it has nothing but known tags and no text
// outside of them: that is what Markdown with tags in it has. Forced takes all
// that has a tag.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	s := &scanner{b: b, at: len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))}
	if !c.Forced && !s.begins() {
		return nil, false
	}
	s.scan()
	if s.tags == 0 || !c.Forced && !s.document && !s.fragment() {
		return nil, false
	}
	o := &outline{scanner: s}
	o.build()
	count := caption.Count(s.titles, "heading")
	if len(s.headings) == 0 {
		count = caption.Count(len(o.parts), "block")
	}
	doc := &part.Doc{Count: count, Parts: o.parts, Name: o.name}
	if line := s.titleLine(); line != "" {
		doc.Lines = []string{line}
	}
	return doc, true
}

// titleLine tells the title of the page.
func (s *scanner) titleLine() string {
	if s.title == (span{}) {
		return ""
	}
	if text := plain(nil, s.b[s.title.start:s.title.end], maxTitle); len(text) > 0 {
		return "title: " + string(text)
	}
	return ""
}
