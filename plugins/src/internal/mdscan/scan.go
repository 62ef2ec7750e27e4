package mdscan

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/room"
)

// Scan finds headings, fences and blocks. Any text is Markdown; whether it is
// meant to be is for package detect to say.
func Scan(b []byte) *Doc {
	s := &scanner{b: b}
	start := len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
	s.doc.Front = frontMatter(b, start)
	if s.doc.Front.End > 0 {
		start = int(s.doc.Front.End)
	}
	s.gap = true
	s.endParagraph()
	s.read(start)
	return &s.doc
}

// scanner is the state between two lines. A paragraph is open only outside
// containers.
type scanner struct {
	b    []byte
	doc  Doc
	gap  bool // the line before was blank
	para bool // a paragraph is open
	text int  // start of its text after link definitions, -1 if there is none yet

	inside container
}

// read reads all lines from at on. What a line is, its first byte mostly says;
// only the others are looked at as a whole.
func (s *scanner) read(at int) {
	b := s.b
	var l line
	for at < len(b) {
		c := b[at]
		if c == '\n' {
			s.blank()
			at++
			continue
		}
		if starts[c] != 0 {
			l.read(b, at)
			at = s.line(&l)
			continue
		}
		s.plain(at)
		at = lines.End(b, at)
		for at < len(b) && starts[b[at]] == 0 { // goes on with what is open now
			at = lines.End(b, at)
		}
	}
}

func (s *scanner) blank() {
	s.endParagraph()
	s.gap = true
	if s.inside.open() {
		s.inside.blank()
	}
}

// plain reads a line that begins no block, whatever stands before it.
func (s *scanner) plain(start int) {
	if s.inside.open() {
		if s.inside.para { // a lazy line
			s.gap = false
			return
		}
		s.inside = container{}
	}
	if s.gap {
		s.block(start)
		s.gap = false
	}
	s.para = true
	if s.text < 0 {
		s.text = start
	}
}

// line reads any line, and returns where the next one is that has not been read:
// a fence or an HTML block is read to its end.
func (s *scanner) line(l *line) (next int) {
	if l.blank() {
		s.blank()
		return l.end
	}
	if s.inside.open() {
		if s.inside.holds(l.text, l.indent) {
			if s.gap && s.inside.quote {
				s.block(l.start)
			}
			s.gap = false
			return l.end
		}
		s.inside = container{}
	}
	if s.gap {
		s.block(l.start)
		s.gap = false
	}
	if l.indent < 4 {
		return s.top(l, starts[l.text[0]])
	}
	if s.para {
		s.paragraph(l)
	} // else indented code
	return l.end
}

// top reads a line that no container holds and that may begin some blocks.
func (s *scanner) top(l *line, kind uint16) (next int) {
	if kind&atHash != 0 {
		if level, from, to := atx(l.text); level > 0 {
			s.heading(Heading{Span{int32(l.start), int32(l.end)}, Span{int32(l.at + from), int32(l.at + to)}, int8(level), true})
			return l.end
		}
	}
	if kind&atUnder != 0 && s.text >= 0 && s.setext(l) {
		return l.end
	}
	if kind&atRule != 0 && rule(l.text) {
		s.endParagraph()
		return l.end
	}
	if kind&(atItem|atQuote) != 0 && s.inside.enter(l.text, l.indent, s.para) {
		s.endParagraph()
		return l.end
	}
	if kind&atFence != 0 {
		if f := openFence(l.text); f.n > 0 && s.tildes(f, l) {
			return l.end
		} else if f.n > 0 {
			return s.code(f, l)
		}
	}
	if kind&atTag != 0 {
		if h := openHTML(l.text, s.para); h.open() {
			return s.markup(h, l)
		}
	}
	s.paragraph(l)
	return l.end
}

// paragraph adds a line to the open paragraph, or opens one.
func (s *scanner) paragraph(l *line) {
	s.para = true
	if s.text < 0 && !definition(l.text) {
		s.text = l.start
	}
}

func (s *scanner) endParagraph() { s.para, s.text = false, -1 }

// setext ends the open paragraph as a heading if l underlines it.
func (s *scanner) setext(l *line) bool {
	level := underline(l.text)
	if level == 0 {
		return false
	}
	s.heading(Heading{Span{int32(s.text), int32(l.end)}, s.said(l.start), int8(level), false})
	return true
}

// said is the text of the open paragraph, which ends before a line.
func (s *scanner) said(end int) Span {
	text := bytes.TrimRight(s.b[s.text:end], " \t\r\n")
	at := s.text + len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	return Span{int32(at), int32(s.text + len(text))}
}

// minTildes is the shortest underline of tildes.
const minTildes = 4

// tildes ends the open paragraph as a heading if l underlines its one line with
// as many tildes as that is long. It is where this differs from CommonMark, which
// has a fence there: in reStructuredText such lines are headings of a third level,
// and hardly any fence stands so.
func (s *scanner) tildes(f fence, l *line) bool {
	if f.char != '~' || f.n < minTildes || f.n < len(l.text) || s.text < 0 {
		return false
	}
	said := s.said(l.start)
	text := s.b[said.Start:said.End]
	if bytes.IndexByte(text, '\n') >= 0 || utf8.RuneCount(text) != f.n {
		return false
	}
	s.heading(Heading{Span{int32(s.text), int32(l.end)}, said, 3, false})
	return true
}

func (s *scanner) heading(h Heading) {
	s.endParagraph()
	if len(s.doc.Headings) < maxFound {
		if len(s.doc.Headings) == cap(s.doc.Headings) {
			s.doc.Headings = room.More(s.doc.Headings, int(h.Start), len(s.b), maxFound)
		}
		s.doc.Headings = append(s.doc.Headings, h)
	}
}

// code reads fenced code with the lines of its marks.
func (s *scanner) code(f fence, l *line) (next int) {
	s.endParagraph()
	b, at := s.b, l.end
	info := trimmed(l.text[f.n:])
	rest, _ := indented(info, 0)
	from := l.at + f.n + len(info) - len(rest)
	found := Fence{Span{int32(l.start), 0}, Span{int32(at), int32(len(b))}, Span{int32(from), int32(from + len(rest))}}
	for at < len(b) {
		mark := at
		for mark < at+3 && mark < len(b) && b[mark] == ' ' {
			mark++
		}
		if mark < len(b) && b[mark] == f.char {
			if l.read(b, at); f.closes(l.text) {
				found.Code.End = int32(at)
				at = l.end
				break
			}
		}
		at = lines.End(b, at)
	}
	found.End = int32(at)
	if len(s.doc.Fences) < maxFound {
		if len(s.doc.Fences) == cap(s.doc.Fences) {
			s.doc.Fences = room.More(s.doc.Fences, at, len(b), maxFound)
		}
		s.doc.Fences = append(s.doc.Fences, found)
	}
	return at
}

// markup reads an HTML block. One line may be all of it.
func (s *scanner) markup(h html, l *line) (next int) {
	s.endParagraph()
	for h.blank || !h.closes(l.text) {
		if l.end == len(s.b) {
			break
		}
		l.read(s.b, l.end)
		if s.gap = l.blank(); h.blank && s.gap {
			break
		}
	}
	return l.end
}

func (s *scanner) block(start int) {
	if len(s.doc.Blocks) < maxFound {
		if len(s.doc.Blocks) == cap(s.doc.Blocks) {
			s.doc.Blocks = room.More(s.doc.Blocks, start, len(s.b), maxFound)
		}
		s.doc.Blocks = append(s.doc.Blocks, int32(start))
	}
}

// frontMatter finds a block between two lines --- or +++ at the very start that
// begins with a key or a comment: a rule above a text is none.
func frontMatter(b []byte, start int) Span {
	var mark, l line
	mark.read(b, start)
	if mark.indent > 0 || !bytes.Equal(trimmed(mark.text), []byte("---")) && !bytes.Equal(trimmed(mark.text), []byte("+++")) {
		return Span{}
	}
	first := true
	for at := mark.end; at < len(b); {
		l.read(b, at)
		at = l.end
		text := trimmed(l.text)
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
