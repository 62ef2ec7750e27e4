// Package syntax finds the elements of XML as byte spans.
//
// Parse reads a text once and checks that its tags balance. It knows as much of XML
// as is needed for that: quoted values, comments, CDATA, processing instructions and
// document types. It resolves neither entities nor namespaces, so entities that expand
// exponentially cost no more than other text. It does not check that attributes are
// unique or that characters are allowed.
package syntax

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// Parse finds the parts of b. It reports whether b is well-formed and has an element.
//
// If lenient is set, tags need not balance: a "<" that begins no markup is text, and an
// element that is not closed ends with its parent.
func Parse(b []byte, lenient bool) (*Tree, bool) {
	s := &scanner{
		b: b, lenient: lenient, at: SkipSpace(b, len(b)-len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))),
		levels: MaxLevels,
	}
	if !s.hasMarkup() {
		return nil, false
	}
	s.open = append(make([]frame, 0, deepest+1), frame{part: -1, last: none})
	s.tags = newTagNumbers()
	s.reserve()
	if !s.readAll() || s.elements == 0 {
		return nil, false
	}
	return &Tree{Text: b, Parts: s.parts, Forms: s.forms, Tags: s.tags.tags, Wide: s.wide, Elements: s.elements, Root: s.root, Errors: s.errors, Outside: s.outside}, true
}

// scanner holds the state between two pieces of markup.
type scanner struct {
	b        []byte
	at       int
	lenient  bool
	parts    []part.Part
	forms    []Form // by part
	limit    int    // maximal number of parts
	tags     tagNumbers
	open     []frame // the open elements; the first is the text itself, the last all levels from deepest on
	deep     []span  // names of the open elements from level deepest on, without the innermost
	levels   int     // levels of elements that are parts
	elements int
	root     int      // offset of the first element
	errors   int      // Tree.Errors
	outside  bool     // Tree.Outside
	missing  []string // ends of markup that do not occur in the rest of the text
	wide     []Wide
}

// deepest is a level of elements without parts. Of the open elements from this level
// on, only the names are kept.
const deepest = MaxLevels + 1

// span is [start, end) in the text.
type span struct{ start, end int32 }

// frame is an open element.
type frame struct {
	name     span
	part     int32    // -1: it is too deep to be a part
	last     [2]int32 // its last elements that are parts, -1: none
	children int32    // parts right inside it
	tagEnd   int32    // end of its start tag if that may become a part, or 0
	text     span     // text in it that is not a part yet; empty if end is 0
}

var none = [2]int32{-1, -1}

// hasMarkup reports whether the text may be XML: it begins with markup.
func (s *scanner) hasMarkup() bool {
	return s.lenient && s.at < len(s.b) || s.at+1 < len(s.b) && s.b[s.at] == '<' &&
		(IsNameStart(s.b[s.at+1]) || s.b[s.at+1] == '!' || s.b[s.at+1] == '?')
}

// readAll reads to the end. It reports whether the text is XML.
func (s *scanner) readAll() bool {
	for b := s.b; s.at < len(b); {
		c := b[s.at]
		switch {
		case c == '<':
			if s.readMarkup() {
				continue
			}
			s.errors++
			if !s.lenient || !s.readText() {
				return false
			}
		case class[c]&space != 0:
			s.at = SkipSpace(b, s.at)
		case !s.readText():
			return false
		}
	}
	for len(s.open) > 1 {
		if !s.lenient {
			return false
		}
		s.errors++
		s.closeElement(len(s.b))
	}
	s.flushText(&s.open[0])
	return true
}

// readText reads up to the next "<". It returns false outside of all elements.
func (s *scanner) readText() bool {
	b, start := s.b, s.at
	s.at = Find(b, start+1, '<', '<')
	end := s.at
	for class[b[end-1]]&space != 0 {
		end--
	}
	f := s.innermost()
	if f.text.end == 0 {
		f.text.start = int32(start)
	}
	f.text.end = int32(end)
	s.outside = s.outside || len(s.open) == 1
	return len(s.open) > 1 || s.lenient
}

func (s *scanner) innermost() *frame { return &s.open[len(s.open)-1] }

// readMarkup reads the markup at a "<". It returns false if there is none.
func (s *scanner) readMarkup() bool {
	if s.at+1 == len(s.b) {
		return false
	}
	c := s.b[s.at+1]
	if class[c]&nameStart != 0 {
		return s.readStartTag()
	}
	switch c {
	case '/':
		return s.readEndTag()
	case '!':
		return s.readDeclaration()
	case '?':
		end := s.findEnd(2, "?>")
		if end < 0 {
			return false
		}
		s.flushText(s.innermost())
		s.at = end
		return true
	}
	return false
}

// readDeclaration reads a comment, CDATA or a document type.
func (s *scanner) readDeclaration() bool {
	rest := s.b[s.at:]
	inside := len(s.open) > 1
	end, form := -1, Comment
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		end = s.findEnd(4, "-->")
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		if form = CDATA; inside || s.lenient {
			end = s.findEnd(9, "]]>")
		}
	default:
		return !inside && s.readDoctype()
	}
	if end < 0 {
		return false
	}
	f := s.innermost()
	s.flushText(f)
	s.addPart(f, form, s.at, end, len(s.open)-1)
	s.at = end
	return true
}

// readDoctype reads a document type, which precedes all elements.
func (s *scanner) readDoctype() bool {
	if s.elements > 0 || slices.Contains(s.missing, doctype) {
		return false
	}
	end := doctypeEnd(s.b, s.at)
	if end < 0 {
		s.missing = append(s.missing, doctype)
		return false
	}
	s.flushText(&s.open[0])
	s.at = end
	return true
}

// findEnd returns the offset after the next mark that begins at least skip bytes from
// here, -1 if there is none. A missing mark is searched for only once.
func (s *scanner) findEnd(skip int, mark string) int {
	if slices.Contains(s.missing, mark) {
		return -1
	}
	end := MarkEnd(s.b, s.at+skip, mark)
	if end < 0 {
		s.missing = append(s.missing, mark)
	}
	return end
}

// readStartTag reads a start tag or an empty element.
func (s *scanner) readStartTag() bool {
	b, at := s.b, s.at
	f := s.innermost()
	var sibling Form
	if f.last[0] >= 0 {
		sibling = s.forms[f.last[0]] - Element
	}
	form, nameEnd := s.tags.read(b, at+1, sibling)
	end, empty := nameEnd+1, false
	if nameEnd == len(b) || b[nameEnd] != '>' {
		if end, empty = TagEnd(b, nameEnd); end < 0 {
			return false
		}
	}
	if s.level() >= MaxDepth {
		return false
	}
	if f.text.end > 0 {
		s.flushText(f)
	}
	i := s.addPart(f, form, at, end, len(s.open)-1)
	if s.at = end; s.elements == 0 {
		s.root = at
	}
	s.elements++
	if i >= 0 {
		s.markRecords(f, i)
	}
	if empty && (i < 0 || end-at < longTag) {
		return true
	}
	s.push(span{int32(at + 1), int32(nameEnd)}, i, end)
	if i >= 0 && end-at >= minTag {
		f = s.innermost()
		if f.tagEnd = int32(end); end-at >= longTag {
			s.addStartTag(f, len(s.open)-1)
		}
	}
	if empty {
		s.pop()
	}
	return true
}

// markRecords marks elements as records if they follow each other or alternate with
// others.
func (s *scanner) markRecords(f *frame, i int32) {
	for _, last := range f.last {
		if last >= 0 && s.forms[last] == s.forms[i] && s.forms[i] > Element {
			s.parts[last].Kind, s.parts[i].Kind = part.Record, part.Record
			break // the earlier one is already marked if it repeats that one
		}
	}
	f.last[1], f.last[0] = f.last[0], i
}

// readEndTag reads an end tag, which must match an open element.
func (s *scanner) readEndTag() bool {
	n := s.level()
	open := s.innermost().name
	name, end := s.at+2, s.at+2+int(open.end-open.start)
	if n == 0 || end >= len(s.b) || s.b[end] != '>' || !isEqual(s.b, int(open.start), name, end-name) {
		if end, n = s.matchEndTag(); n == 0 {
			return false
		}
	}
	for s.level() > n {
		s.errors++
		s.closeElement(s.at)
	}
	s.at = end + 1
	s.closeElement(s.at)
	return true
}

// matchEndTag reads an end tag that differs from the usual form: the name of the
// innermost element and a bracket. It returns the offset of its bracket and the level
// of its element, 0 if there is none.
func (s *scanner) matchEndTag() (end, level int) {
	name := s.b[s.at+2 : NameEnd(s.b, s.at+2)]
	end = SkipSpace(s.b, s.at+2+len(name))
	if end == len(s.b) || s.b[end] != '>' {
		return end, 0
	}
	last := s.level()
	lowest := last
	if s.lenient {
		lowest = last - MaxLevels
	}
	for level = last; level > 0 && level >= lowest; level-- {
		if bytes.Equal(s.nameAt(level), name) {
			return end, level
		}
	}
	return end, 0
}

// closeElement ends the innermost element.
func (s *scanner) closeElement(end int) {
	f := s.innermost()
	if f.children > 0 && f.text.end > 0 {
		s.flushText(f)
	}
	if f.part >= 0 {
		s.parts[f.part].End = int32(end)
		if f.children > rows.MaxLines && f.children <= MaxChildren {
			s.wide = append(s.wide, Wide{f.part, f.children})
		}
	}
	s.pop()
}

// flushText adds a part for the text before another part. A tag that is not
// well-formed is text, but its part has the form of an element.
func (s *scanner) flushText(f *frame) {
	if f.text.end == 0 {
		return
	}
	start, end := int(f.text.start), int(f.text.end)
	f.text = span{}
	form := Text
	if end-start > 1 && s.b[start] == '<' && IsNameStart(s.b[start+1]) {
		form = Element
	}
	s.addPart(f, form, start, end, len(s.open)-1)
}
