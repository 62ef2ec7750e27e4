package html

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
)

// headline is a heading.
type headline struct {
	span        // from its start tag to the end of its end tag
	text  span  // between the tags
	id    span  // the target of links to it, empty if there is none
	level int32 // 1 to 6
}

// addHeading adds the heading with the start tag b[start:end].
func (s *scanner) addHeading(start, end int, level int32) {
	s.afterHolder, s.wrapped = false, false
	s.headingCount++
	if len(s.headings) >= s.maxCuts/2 {
		return
	}
	h := headline{span: span{int32(start), int32(end)}, text: span{int32(end), int32(end)}, level: level, id: attribute(s.b, start+3, end, "id")}
	if h.id == (span{}) {
		h.id = s.anchor
	}
	s.readHeading(&h)
	if len(s.headings) == cap(s.headings) {
		s.headings = grow.Slice(s.headings, start, len(s.b), s.maxCuts/2)
	}
	s.headings = append(s.headings, h)
}

// readHeading finds the end of a heading and an anchor in it. A heading without an end
// tag ends at the next block.
func (s *scanner) readHeading(h *headline) {
	for at := int(h.end); ; {
		n := bytes.IndexByte(s.b[at:], '<')
		if n < 0 || at+n+3 >= len(s.b) {
			return
		}
		at += n
		name, isEnd := at+1, s.b[at+1] == '/'
		if isEnd {
			name++
		}
		nameEnd := nameEnd(s.b, name)
		info := infoOf(key(s.b[name:nameEnd]))
		if info&(heading|block|item|holder|root) != 0 {
			h.text.end, h.end = int32(at), int32(at)
			if isEnd && info&heading != 0 {
				h.end = int32(tagEnd(s.b, name))
			}
			return
		}
		at = tagEnd(s.b, name)
		if h.text.end = int32(at); h.id == (span{}) && !isEnd {
			h.id = anchorName(s.b, nameEnd, at)
		}
	}
}

// anchorName returns the id or name in a start tag.
func anchorName(b []byte, at, end int) span {
	if id := attribute(b, at, end, "id"); id != (span{}) {
		return id
	}
	return attribute(b, at, end, "name")
}
