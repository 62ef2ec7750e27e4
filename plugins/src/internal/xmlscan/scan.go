package xmlscan

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// scanner is the state between two pieces of markup.
type scanner struct {
	b        []byte
	at       int
	lenient  bool
	parts    []part.Part
	open     []frame
	top      frame // stands for the text itself
	noted    int   // levels of elements that are parts
	elements int
	root     int      // where the first element begins
	missing  []string // ends of markup that the rest of the text has not
	wide     []int32  // parts with so many children that groups may help
}

// frame is an element that is not closed yet.
type frame struct {
	name, nameEnd int32
	part          int32    // -1: it lies too deep to be one
	last          [2]int32 // its last elements that are parts, -1: none
	kids          int32    // parts in it, without those in these
	tagEnd        int32    // where its start tag ends that is not a part yet, 0: it is none
	text, textEnd int32    // text in it that is not a part yet, if it is not empty
}

var none = [2]int32{-1, -1}

// begins reports whether there is a tag where a text of XML has its first one.
func (s *scanner) begins() bool {
	s.skipSpace()
	return s.lenient && s.at < len(s.b) || s.at+1 < len(s.b) && s.b[s.at] == '<' &&
		(class[s.b[s.at+1]]&nameStart != 0 || s.b[s.at+1] == '!' || s.b[s.at+1] == '?')
}

func (s *scanner) skipSpace() {
	for s.at < len(s.b) && class[s.b[s.at]]&space != 0 {
		s.at++
	}
}

// scan reads to the end; false: the text is no XML.
func (s *scanner) scan() bool {
	s.top, s.noted = frame{part: -1, last: none}, maxNoted
	s.parts = make([]part.Part, 0, 64+len(s.b)/64) // mostly there are about as many
	for s.at < len(s.b) {
		if s.b[s.at] == '<' {
			if s.markup() {
				continue
			}
			if !s.lenient {
				return false
			}
		}
		if !s.text() {
			return false
		}
	}
	for len(s.open) > 0 {
		if !s.lenient {
			return false
		}
		s.close(len(s.b))
	}
	s.flush(&s.top)
	return true
}

// inner is the element that is open.
func (s *scanner) inner() *frame {
	if len(s.open) == 0 {
		return &s.top
	}
	return &s.open[len(s.open)-1]
}

// text reads up to the next "<". Outside of all elements it is white space.
func (s *scanner) text() bool {
	start := s.at
	if n := bytes.IndexByte(s.b[start+1:], '<'); n >= 0 {
		s.at = start + 1 + n
	} else {
		s.at = len(s.b)
	}
	for start < s.at && class[s.b[start]]&space != 0 {
		start++
	}
	if start == s.at {
		return true
	}
	end := s.at
	for class[s.b[end-1]]&space != 0 {
		end--
	}
	f := s.inner()
	if f.textEnd == 0 {
		f.text = int32(start)
	}
	f.textEnd = int32(end)
	return len(s.open) > 0 || s.lenient
}

// markup reads what "<" begins; false: nothing.
func (s *scanner) markup() bool {
	if s.at+1 == len(s.b) {
		return false
	}
	switch c := s.b[s.at+1]; {
	case class[c]&nameStart != 0:
		return s.start()
	case c == '/':
		return s.end()
	case c == '?':
		end := s.behind(2, "?>")
		if end < 0 {
			return false
		}
		s.flush(s.inner())
		s.at = end
		return true
	case c == '!':
		return s.declaration()
	}
	return false
}

// declaration reads a comment, CDATA or a document type.
func (s *scanner) declaration() bool {
	rest := s.b[s.at:]
	end := -1
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		end = s.behind(4, "-->")
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		if len(s.open) > 0 || s.lenient {
			end = s.behind(9, "]]>")
		}
	default:
		if len(s.open) > 0 || s.elements > 0 || slices.Contains(s.missing, doctype) {
			return false
		}
		if end = doctypeEnd(s.b, s.at); end < 0 {
			s.missing = append(s.missing, doctype)
			return false
		}
		s.flush(&s.top)
		s.at = end
		return true
	}
	if end < 0 {
		return false
	}
	f := s.inner()
	s.flush(f)
	s.add(f, s.at, end, len(s.open))
	s.at = end
	return true
}

// behind is the offset behind the next mark, from some bytes on; -1 if there is
// none, which is looked for once only.
func (s *scanner) behind(from int, mark string) int {
	if slices.Contains(s.missing, mark) {
		return -1
	}
	end := after(s.b, s.at+from, mark)
	if end < 0 {
		s.missing = append(s.missing, mark)
	}
	return end
}

// after is the offset behind the next mark, -1 if there is none.
func after(b []byte, at int, mark string) int {
	if n := bytes.Index(b[at:], []byte(mark)); n >= 0 {
		return at + n + len(mark)
	}
	return -1
}

// start reads a start tag or an empty element.
func (s *scanner) start() bool {
	t, ok := readTag(s.b, s.at)
	if !ok || len(s.open) == maxDepth {
		return false
	}
	f := s.inner()
	s.flush(f)
	at := s.add(f, s.at, t.end, len(s.open))
	if s.elements == 0 {
		s.root = s.at
	}
	s.elements++
	if at >= 0 {
		s.repeats(f, at, s.b[s.at+1:t.nameEnd])
	}
	inner := frame{name: int32(s.at + 1), nameEnd: int32(t.nameEnd), part: at, last: none, tagEnd: int32(t.end)}
	if at >= 0 && t.end-s.at >= splitTag {
		s.opening(&inner, len(s.open)+1)
	}
	if !t.empty {
		s.open = append(s.open, inner)
	}
	s.at = t.end
	return true
}

// repeats makes elements records that stand in a row or take turns with others.
func (s *scanner) repeats(f *frame, at int32, name []byte) {
	for _, last := range f.last {
		if last >= 0 && bytes.Equal(tagName(s.b, int(s.parts[last].Start)), name) {
			s.parts[last].Kind, s.parts[at].Kind = part.Record, part.Record
		}
	}
	f.last[1], f.last[0] = f.last[0], at
}

// end reads an end tag, which must be that of the open element.
func (s *scanner) end() bool {
	nameEnd := nameEnd(s.b, s.at+2)
	end := nameEnd
	for end < len(s.b) && class[s.b[end]]&space != 0 {
		end++
	}
	if end == len(s.b) || s.b[end] != '>' {
		return false
	}
	n := len(s.open) - 1
	if s.lenient {
		for lowest := max(0, n-maxNoted); n >= lowest && !s.closes(n, nameEnd); n-- {
		}
	}
	if n < 0 || !s.closes(n, nameEnd) {
		return false
	}
	for len(s.open)-1 > n {
		s.close(s.at)
	}
	s.at = end + 1
	s.close(s.at)
	return true
}

// closes reports whether the end tag with this name is that of an open element.
func (s *scanner) closes(n, nameEnd int) bool {
	f := &s.open[n]
	return bytes.Equal(s.b[f.name:f.nameEnd], s.b[s.at+2:nameEnd])
}

// close ends the innermost element.
func (s *scanner) close(end int) {
	f := s.inner()
	if f.kids > 0 {
		s.flush(f)
	}
	if f.part >= 0 {
		s.parts[f.part].End = int32(end)
		if f.kids > maxLines && f.kids <= maxChildren {
			s.wide = append(s.wide, f.part)
		}
	}
	s.open = s.open[:len(s.open)-1]
}

// flush makes a part of the text before another part.
func (s *scanner) flush(f *frame) {
	if f.textEnd == 0 {
		return
	}
	start, end := int(f.text), int(f.textEnd)
	f.text, f.textEnd = 0, 0
	s.add(f, start, end, len(s.open))
}
