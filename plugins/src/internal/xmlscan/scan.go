package xmlscan

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/room"
)

// scanner is the state between two pieces of markup.
type scanner struct {
	b        []byte
	at       int
	lenient  bool
	parts    []part.Part
	what     []what // by part
	limit    int    // parts at most
	tags     tagNames
	open     []frame // those around what is read; the first stands for the text itself, the last for all from level deepest on
	deep     []name  // of elements from level deepest on but the innermost
	noted    int     // levels of elements that are parts
	elements int
	root     int      // where the first element begins
	missing  []string // ends of markup that the rest of the text has not
	wide     []wide   // parts with so many children that groups may help
}

// deepest is a level of elements in which no part lies: of all that are open there and
// below, a name is all that is known.
const deepest = maxNoted + 1

// name is where the name of an element stands in its start tag.
type name struct{ start, end int32 }

// wide is a part with many children.
type wide struct {
	part int32
	kids int32 // as many at most
}

// frame is an element that is not closed yet.
type frame struct {
	name          name
	part          int32    // -1: it lies too deep to be one
	last          [2]int32 // its last elements that are parts, -1: none
	kids          int32    // parts in it, without those in these
	tagEnd        int32    // where its start tag ends that may become a part yet, 0: it will not
	text, textEnd int32    // text in it that is not a part yet, if it is not empty
}

var none = [2]int32{-1, -1}

// begins reports whether there is a tag where a text of XML has its first one.
func (s *scanner) begins() bool {
	s.at = skip(s.b, s.at)
	return s.lenient && s.at < len(s.b) || s.at+1 < len(s.b) && s.b[s.at] == '<' &&
		(class[s.b[s.at+1]]&nameStart != 0 || s.b[s.at+1] == '!' || s.b[s.at+1] == '?')
}

// scan reads to the end; false: the text is no XML.
func (s *scanner) scan() bool {
	s.open, s.noted, s.tags = append(make([]frame, 0, deepest+1), frame{part: -1, last: none}), maxNoted, newTagNames()
	s.reserve()
	for b := s.b; s.at < len(b); {
		c := b[s.at]
		switch {
		case c == '<':
			if s.markup() {
				continue
			}
			if !s.lenient || !s.text() {
				return false
			}
		case class[c]&space != 0:
			s.at = skip(b, s.at)
		case !s.text():
			return false
		}
	}
	for len(s.open) > 1 {
		if !s.lenient {
			return false
		}
		s.close(len(s.b))
	}
	s.flush(&s.open[0])
	return true
}

// text reads up to the next "<". Outside of all elements there is none.
func (s *scanner) text() bool {
	b, start := s.b, s.at
	s.at = Find(b, start+1, '<', '<')
	end := s.at
	for class[b[end-1]]&space != 0 {
		end--
	}
	f := &s.open[len(s.open)-1]
	if f.textEnd == 0 {
		f.text = int32(start)
	}
	f.textEnd = int32(end)
	return len(s.open) > 1 || s.lenient
}

// markup reads what "<" begins; false: nothing.
func (s *scanner) markup() bool {
	if s.at+1 == len(s.b) {
		return false
	}
	c := s.b[s.at+1]
	if class[c]&nameStart != 0 {
		return s.start()
	}
	switch c {
	case '/':
		return s.end()
	case '!':
		return s.declaration()
	case '?':
		end := s.behind(2, "?>")
		if end < 0 {
			return false
		}
		s.flush(&s.open[len(s.open)-1])
		s.at = end
		return true
	}
	return false
}

// declaration reads a comment, CDATA or a document type.
func (s *scanner) declaration() bool {
	rest := s.b[s.at:]
	inside := len(s.open) > 1
	end, what := -1, isComment
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		end = s.behind(4, "-->")
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		if what = isCDATA; inside || s.lenient {
			end = s.behind(9, "]]>")
		}
	default:
		if inside || s.elements > 0 || slices.Contains(s.missing, doctype) {
			return false
		}
		if end = doctypeEnd(s.b, s.at); end < 0 {
			s.missing = append(s.missing, doctype)
			return false
		}
		s.flush(&s.open[0])
		s.at = end
		return true
	}
	if end < 0 {
		return false
	}
	f := &s.open[len(s.open)-1]
	s.flush(f)
	s.add(f, what, s.at, end, len(s.open)-1)
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
	b, at := s.b, s.at
	f := &s.open[len(s.open)-1]
	var sibling what
	if f.last[0] >= 0 {
		sibling = s.what[f.last[0]] - isElement
	}
	tag, nameEnd := s.tags.read(b, at+1, sibling)
	end, empty := nameEnd+1, false
	if nameEnd == len(b) || b[nameEnd] != '>' {
		if end, empty = endOfTag(b, nameEnd); end < 0 {
			return false
		}
	}
	if s.level() >= maxDepth {
		return false
	}
	if f.textEnd > 0 {
		s.flush(f)
	}
	i := s.add(f, tag, at, end, len(s.open)-1)
	if s.at = end; s.elements == 0 {
		s.root = at
	}
	s.elements++
	if i >= 0 {
		s.repeats(f, i)
	}
	if empty && (i < 0 || end-at < splitTag) {
		return true
	}
	if called := (name{int32(at + 1), int32(nameEnd)}); len(s.open) <= deepest {
		s.open = append(s.open, frame{name: called, part: i, last: none})
	} else {
		s.sink(called, end)
	}
	if i >= 0 && end-at >= fullTag {
		f = &s.open[len(s.open)-1]
		if f.tagEnd = int32(end); end-at >= splitTag {
			s.opening(f, len(s.open)-1)
		}
	}
	if empty {
		s.leave()
	}
	return true
}

// level is that of the innermost element, 0 outside of all.
func (s *scanner) level() int { return len(s.open) - 1 + len(s.deep) }

// sink opens an element below level deepest, the start tag of which ends at end.
func (s *scanner) sink(called name, end int) {
	if len(s.deep) == cap(s.deep) { // each has an end tag as well: no more than half of the rest opens some
		s.deep = room.More(s.deep, end, end+(len(s.b)-end)/2, maxDepth)
	}
	f := &s.open[deepest]
	s.deep = append(s.deep, f.name)
	f.name = called
}

// leave goes back to the element round the innermost one.
func (s *scanner) leave() {
	last := len(s.deep) - 1
	if last < 0 {
		s.open = s.open[:len(s.open)-1]
		return
	}
	f := &s.open[deepest]
	f.name, f.textEnd = s.deep[last], 0
	s.deep = s.deep[:last]
}

// nameAt is the name of the open element on a level.
func (s *scanner) nameAt(level int) []byte {
	n := s.open[min(level, deepest, len(s.open)-1)].name
	if under := level - deepest; under >= 0 && under < len(s.deep) {
		n = s.deep[under]
	}
	return s.b[n.start:n.end]
}

// repeats makes elements records that stand in a row or take turns with others.
func (s *scanner) repeats(f *frame, i int32) {
	for _, last := range f.last {
		if last >= 0 && s.what[last] == s.what[i] && s.what[i] > isElement {
			s.parts[last].Kind, s.parts[i].Kind = part.Record, part.Record
			break // the one before it repeated that one
		}
	}
	f.last[1], f.last[0] = f.last[0], i
}

// end reads an end tag, which must be that of the open element.
func (s *scanner) end() bool {
	n := s.level()
	open := s.open[len(s.open)-1].name
	name, end := s.at+2, s.at+2+int(open.end-open.start)
	if n == 0 || end >= len(s.b) || s.b[end] != '>' || !same(s.b, int(open.start), name, end-name) {
		if end, n = s.otherEnd(); n == 0 {
			return false
		}
	}
	for s.level() > n {
		s.close(s.at)
	}
	s.at = end + 1
	s.close(s.at)
	return true
}

// otherEnd reads an end tag that is not just the name of the open element. It
// returns where it ends and which element that is of, 0: none.
func (s *scanner) otherEnd() (end, n int) {
	name := s.b[s.at+2 : nameEnd(s.b, s.at+2)]
	end = skip(s.b, s.at+2+len(name))
	if end == len(s.b) || s.b[end] != '>' {
		return end, 0
	}
	last := s.level()
	lowest := last
	if s.lenient {
		lowest = last - maxNoted
	}
	for n = last; n > 0 && n >= lowest; n-- {
		if bytes.Equal(s.nameAt(n), name) {
			return end, n
		}
	}
	return end, 0
}

// close ends the innermost element.
func (s *scanner) close(end int) {
	f := &s.open[len(s.open)-1]
	if f.kids > 0 && f.textEnd > 0 {
		s.flush(f)
	}
	if f.part >= 0 {
		s.parts[f.part].End = int32(end)
		if f.kids > maxLines && f.kids <= maxChildren {
			s.wide = append(s.wide, wide{f.part, f.kids})
		}
	}
	s.leave()
}

// flush makes a part of the text before another part. Where a tag is not
// well-formed it is text, and called like an element.
func (s *scanner) flush(f *frame) {
	if f.textEnd == 0 {
		return
	}
	start, end := int(f.text), int(f.textEnd)
	f.text, f.textEnd = 0, 0
	what := isText
	if end-start > 1 && s.b[start] == '<' && class[s.b[start+1]]&nameStart != 0 {
		what = isElement
	}
	s.add(f, what, start, end, len(s.open)-1)
}
