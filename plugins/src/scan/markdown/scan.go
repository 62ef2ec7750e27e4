package markdown

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// Scan finds headings, fences and blocks. Any text is valid Markdown; package detect
// decides whether it is meant to be.
func Scan(b []byte) *Doc {
	s := &scanner{b: b}
	start := len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
	s.doc.Front = FindFrontMatter(b)
	if s.doc.Front.End > 0 {
		start = int(s.doc.Front.End)
	}
	s.afterBlank = true
	s.endParagraph()
	s.readLines(start)
	return &s.doc
}

// scanner holds the state between two lines. paragraph and textStart describe paragraphs
// outside of containers.
type scanner struct {
	b          []byte
	doc        Doc
	afterBlank bool // the previous line is blank
	paragraph  bool // a paragraph is open
	textStart  int  // offset of its text after link definitions, -1 if it has none yet

	container container
}

// readLines reads all lines from at on. The first byte determines the kind of most lines;
// only the others are read as a whole.
func (s *scanner) readLines(at int) {
	b := s.b
	var l line
	for at < len(b) {
		c := b[at]
		if c == '\n' {
			s.addBlankLine()
			at++
			continue
		}
		if classes[c] != 0 {
			l.read(b, at)
			at = s.readLine(&l)
			continue
		}
		s.addPlainLine(at)
		at = lines.End(b, at)
		for at < len(b) && classes[b[at]] == 0 { // continues the open paragraph
			at = lines.End(b, at)
		}
	}
}

func (s *scanner) addBlankLine() {
	s.endParagraph()
	s.afterBlank = true
	if s.container.isOpen() {
		s.container.addBlankLine()
	}
}

// addPlainLine adds a line that begins no block, whatever precedes it.
func (s *scanner) addPlainLine(start int) {
	if s.container.isOpen() {
		if s.container.paragraph { // a lazy line
			s.afterBlank = false
			return
		}
		s.container = container{}
	}
	if s.afterBlank {
		s.addBlock(start)
		s.afterBlank = false
	}
	s.paragraph = true
	if s.textStart < 0 {
		s.textStart = start
	}
}

// readLine reads any line and returns the offset of the next line to read. A fence or an
// HTML block is read to its end.
func (s *scanner) readLine(l *line) (next int) {
	if l.isBlank() {
		s.addBlankLine()
		return l.end
	}
	if s.container.isOpen() {
		if s.container.addLine(l.text, l.indent) {
			if s.afterBlank && s.container.quote {
				s.addBlock(l.start)
			}
			s.afterBlank = false
			return l.end
		}
		s.container = container{}
	}
	if s.afterBlank {
		s.addBlock(l.start)
		s.afterBlank = false
	}
	if l.indent < 4 {
		return s.readBlockStart(l, classes[l.text[0]])
	}
	if s.paragraph { // otherwise it is indented code
		s.addToParagraph(l)
	}
	return l.end
}

// readBlockStart reads a line outside of containers that may begin a block. kind holds the
// possible blocks.
func (s *scanner) readBlockStart(l *line, kind uint16) (next int) {
	if kind&atHash != 0 {
		if level, from, to := parseATX(l.text); level > 0 {
			s.addHeading(Heading{Span{int32(l.start), int32(l.end)}, Span{int32(l.at + from), int32(l.at + to)}, int8(level), true})
			return l.end
		}
	}
	if kind&atUnder != 0 && s.textStart >= 0 && s.endSetext(l) {
		return l.end
	}
	if kind&atRule != 0 && isThematicBreak(l.text) {
		s.endParagraph()
		return l.end
	}
	if kind&(atItem|atQuote) != 0 && s.container.begin(l.text, l.indent, s.paragraph) {
		s.endParagraph()
		return l.end
	}
	if kind&atFence != 0 {
		if f := parseFence(l.text); f.n > 0 && s.endTildes(f, l) {
			return l.end
		} else if f.n > 0 {
			return s.readFence(f, l)
		}
	}
	if kind&atTag != 0 {
		if h := parseHTMLStart(l.text, s.paragraph); h.isOpen() {
			return s.readHTML(h, l)
		}
	}
	s.addToParagraph(l)
	return l.end
}

// addToParagraph adds a line to the open paragraph, or opens one.
func (s *scanner) addToParagraph(l *line) {
	s.paragraph = true
	if s.textStart < 0 && !isLinkDefinition(l.text) {
		s.textStart = l.start
	}
}

func (s *scanner) endParagraph() { s.paragraph, s.textStart = false, -1 }

// endSetext ends the open paragraph as a heading if l underlines it.
func (s *scanner) endSetext(l *line) bool {
	level := underlineLevel(l.text)
	if level == 0 {
		return false
	}
	s.addHeading(Heading{Span{int32(s.textStart), int32(l.end)}, s.paragraphText(l.start), int8(level), false})
	return true
}

// paragraphText returns the span of the text of the open paragraph, which ends at end.
func (s *scanner) paragraphText(end int) Span {
	text := bytes.TrimRight(s.b[s.textStart:end], " \t\r\n")
	at := s.textStart + len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	return Span{int32(at), int32(s.textStart + len(text))}
}

// minTildes is the size of the shortest underline of tildes.
const minTildes = 4

// endTildes ends the open paragraph as a heading if l underlines its only line with tildes
// of the same width. This differs from CommonMark, where such a line opens a fence:
// reStructuredText uses it for headings of the third level, and fences in this place are
// rare.
func (s *scanner) endTildes(f fence, l *line) bool {
	if f.char != '~' || f.n < minTildes || f.n < len(l.text) || s.textStart < 0 {
		return false
	}
	span := s.paragraphText(l.start)
	text := s.b[span.Start:span.End]
	if bytes.IndexByte(text, '\n') >= 0 || utf8.RuneCount(text) != f.n {
		return false
	}
	s.addHeading(Heading{Span{int32(s.textStart), int32(l.end)}, span, 3, false})
	return true
}

func (s *scanner) addHeading(h Heading) {
	s.endParagraph()
	if len(s.doc.Headings) < maxListed {
		if len(s.doc.Headings) == cap(s.doc.Headings) {
			s.doc.Headings = grow.Slice(s.doc.Headings, int(h.Start), len(s.b), maxListed)
		}
		s.doc.Headings = append(s.doc.Headings, h)
	}
}

// readFence reads fenced code with the lines of its marks. It returns the offset of the
// next line.
func (s *scanner) readFence(f fence, l *line) (next int) {
	s.endParagraph()
	b, at := s.b, l.end
	info := trimRight(l.text[f.n:])
	rest, _ := cutIndent(info, 0)
	from := l.at + f.n + len(info) - len(rest)
	found := Fence{Span{int32(l.start), 0}, Span{int32(at), int32(len(b))}, Span{int32(from), int32(from + len(rest))}}
	for at < len(b) {
		mark := at
		for mark < at+3 && mark < len(b) && b[mark] == ' ' {
			mark++
		}
		if mark < len(b) && b[mark] == f.char {
			if l.read(b, at); f.isClosedBy(l.text) {
				found.Code.End = int32(at)
				at = l.end
				break
			}
		}
		at = lines.End(b, at)
	}
	found.End = int32(at)
	if len(s.doc.Fences) < maxListed {
		if len(s.doc.Fences) == cap(s.doc.Fences) {
			s.doc.Fences = grow.Slice(s.doc.Fences, at, len(b), maxListed)
		}
		s.doc.Fences = append(s.doc.Fences, found)
	}
	return at
}

// readHTML reads an HTML block, which may be one line. It returns the offset of the next
// line.
func (s *scanner) readHTML(h htmlBlock, l *line) (next int) {
	s.endParagraph()
	if h.untilBlank {
		s.addHTMLHeading(l)
	}
	for h.untilBlank || !h.isClosedBy(l.text) {
		if l.end == len(s.b) {
			break
		}
		l.read(s.b, l.end)
		if s.afterBlank = l.isBlank(); h.untilBlank && s.afterBlank {
			break
		}
		if h.untilBlank {
			s.addHTMLHeading(l)
		}
	}
	return l.end
}

func (s *scanner) addBlock(start int) {
	if len(s.doc.Blocks) < maxListed {
		if len(s.doc.Blocks) == cap(s.doc.Blocks) {
			s.doc.Blocks = grow.Slice(s.doc.Blocks, start, len(s.b), maxListed)
		}
		s.doc.Blocks = append(s.doc.Blocks, int32(start))
	}
}

// maxFrontMatter is the maximal size of front matter in bytes. Without a limit, a text that begins with --- would be
// read to its end.
const maxFrontMatter = 1 << 16

// FindFrontMatter returns the block between two lines --- or +++ at the start of a text, or an empty span. It
// must begin with a key or a comment, because --- may also be a thematic break.
func FindFrontMatter(b []byte) Span {
	var mark, l line
	start := lines.Start(b)
	mark.read(b, start)
	if mark.indent > 0 || !bytes.Equal(trimRight(mark.text), []byte("---")) && !bytes.Equal(trimRight(mark.text), []byte("+++")) {
		return Span{}
	}
	first := true
	for at := mark.end; at < min(len(b), maxFrontMatter); {
		l.read(b, at)
		at = l.end
		text := trimRight(l.text)
		if l.indent == 0 && (bytes.Equal(text, mark.text[:3]) || mark.text[0] == '-' && bytes.Equal(text, []byte("..."))) {
			return Span{int32(start), int32(l.end)}
		}
		if first && len(text) > 0 {
			if first = false; text[0] != '#' && !bytes.ContainsAny(text, ":=") {
				return Span{}
			}
		}
	}
	return Span{}
}
