package htmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/room"
)

// headline is a heading.
type headline struct {
	span        // from its start tag to behind its end tag
	text  span  // between them
	id    span  // what links to it name it by, empty if nothing
	level int32 // 1 to 6
}

// heading notes a heading: up to its end tag, or to where it must have ended.
func (s *scanner) heading(start, end int, level int32) {
	s.after, s.wrapped = false, false
	s.titles++
	if len(s.headings) >= s.most/2 {
		return
	}
	h := headline{span: span{int32(start), int32(end)}, text: span{int32(end), int32(end)}, level: level, id: attribute(s.b, start+3, end, "id")}
	if h.id == (span{}) {
		h.id = s.anchor
	}
	s.finish(&h)
	if len(s.headings) == cap(s.headings) {
		s.headings = room.More(s.headings, start, len(s.b), s.most/2)
	}
	s.headings = append(s.headings, h)
}

// finish looks for the end of a heading, and for an anchor in it.
func (s *scanner) finish(h *headline) {
	for at := int(h.end); ; {
		n := bytes.IndexByte(s.b[at:], '<')
		if n < 0 || at+n+3 >= len(s.b) {
			return
		}
		at += n
		name, closes := at+1, s.b[at+1] == '/'
		if closes {
			name++
		}
		nameEnd := nameEnd(s.b, name)
		info := infoOf(key(s.b[name:nameEnd]))
		if info&(heading|block|item|holder|root) != 0 {
			h.text.end, h.end = int32(at), int32(at)
			if closes && info&heading != 0 {
				h.end = int32(tagEnd(s.b, name))
			}
			return
		}
		at = tagEnd(s.b, name)
		if h.text.end = int32(at); h.id == (span{}) && !closes {
			h.id = linkName(s.b, nameEnd, at)
		}
	}
}

// linkName is the id or name in a start tag.
func linkName(b []byte, at, end int) span {
	if id := attribute(b, at, end, "id"); id != (span{}) {
		return id
	}
	return attribute(b, at, end, "name")
}
