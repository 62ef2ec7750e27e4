package mdscan

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
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
	s.endFence(len(b), len(b))
	return &s.doc
}

// scanner is the state between two lines. At most one of fence, html and
// inside is set; a paragraph is open only outside all of them.
type scanner struct {
	b    []byte
	doc  Doc
	gap  bool // the line before was blank
	para bool // a paragraph is open
	text int  // start of its text after link definitions, -1 if there is none yet

	fence  fence
	fenced Fence // what is known of it
	html   html
	inside container
}

// read reads all lines from at on. What a line is, its first byte mostly says;
// only the others are looked at as a whole.
func (s *scanner) read(at int) {
	b := s.b
	for at < len(b) {
		c := b[at]
		if s.fence.n > 0 {
			at = s.code(c, at)
			continue
		}
		if s.html.open() {
			at = s.markup(at)
			continue
		}
		if c == '\n' {
			s.blank()
			at++
			continue
		}
		if starts[c] != 0 {
			at = s.line(readLine(b, at))
			continue
		}
		s.plain(at)
		at = lines.End(b, at)
	}
}

// code reads a line of fenced code that begins with c.
func (s *scanner) code(c byte, start int) (end int) {
	if c != s.fence.char && c != ' ' {
		return lines.End(s.b, start)
	}
	l := readLine(s.b, start)
	if l.indent < 4 && s.fence.closes(l.text) {
		s.endFence(l.start, l.end)
	}
	return l.end
}

// markup reads a line of an HTML block.
func (s *scanner) markup(start int) (end int) {
	l := readLine(s.b, start)
	if s.html.closes(l) {
		s.html = html{}
	}
	s.gap = l.blank()
	return l.end
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

// line reads any line outside fences and HTML.
func (s *scanner) line(l line) (end int) {
	if l.blank() {
		s.blank()
		return l.end
	}
	if s.inside.open() {
		if s.inside.holds(l) {
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
		s.top(l)
	} else if s.para {
		s.paragraph(l)
	} // else indented code
	return l.end
}

// top reads a line that no container holds.
func (s *scanner) top(l line) {
	kind := starts[l.text[0]]
	if kind&atUnder != 0 && s.text >= 0 && s.setext(l) {
		return
	}
	if kind&atHash != 0 {
		if level, from, to := atx(l.text); level > 0 {
			s.heading(Heading{Span{int32(l.start), int32(l.end)}, Span{int32(l.at + from), int32(l.at + to)}, level, true})
			return
		}
	}
	if kind&atRule != 0 && rule(l.text) {
		s.endParagraph()
		return
	}
	if kind&atFence != 0 && s.openFence(l) {
		return
	}
	if kind&(atItem|atQuote) != 0 {
		if s.inside = enter(l, s.para); s.inside.open() {
			s.endParagraph()
			return
		}
	}
	if kind&atTag != 0 && s.openHTML(l) {
		return
	}
	s.paragraph(l)
}

// paragraph adds a line to the open paragraph, or opens one.
func (s *scanner) paragraph(l line) {
	s.para = true
	if s.text < 0 && !definition(l.text) {
		s.text = l.start
	}
}

func (s *scanner) endParagraph() { s.para, s.text = false, -1 }

// setext ends the open paragraph as a heading if l underlines it.
func (s *scanner) setext(l line) bool {
	level := underline(l.text)
	if level == 0 {
		return false
	}
	s.heading(Heading{Span{int32(s.text), int32(l.end)}, s.said(l.start), level, false})
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
func (s *scanner) tildes(f fence, l line) bool {
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
		s.doc.Headings = append(s.doc.Headings, h)
	}
}

// openFence begins fenced code, or ends the paragraph as a heading, if l is a mark.
func (s *scanner) openFence(l line) bool {
	f := openFence(l.text)
	if f.n == 0 {
		return false
	}
	if s.tildes(f, l) {
		return true
	}
	s.endParagraph()
	info := trimmed(l.text[f.n:])
	rest, _ := indented(info, 0)
	at := l.at + f.n + len(info) - len(rest)
	s.fence = f
	s.fenced = Fence{Span: Span{Start: int32(l.start)}, Code: Span{Start: int32(l.end)}, Info: Span{int32(at), int32(at + len(rest))}}
	return true
}

// endFence notes the open fence, if there is one: its code ends before the
// closing mark, and that ends at "end".
func (s *scanner) endFence(code, end int) {
	if s.fence.n > 0 && len(s.doc.Fences) < maxFound {
		s.fenced.Code.End, s.fenced.End = int32(code), int32(end)
		s.doc.Fences = append(s.doc.Fences, s.fenced)
	}
	s.fence = fence{}
}

// openHTML begins an HTML block if l does. One line may be all of it.
func (s *scanner) openHTML(l line) bool {
	h := openHTML(l.text, s.para)
	if !h.open() {
		return false
	}
	s.endParagraph()
	if h.blank || !h.closes(l) {
		s.html = h
	}
	return true
}

func (s *scanner) block(start int) {
	if len(s.doc.Blocks) < maxFound {
		s.doc.Blocks = append(s.doc.Blocks, int32(start))
	}
}

// frontMatter finds a block between two lines --- or +++ at the very start that
// begins with a key or a comment: a rule above a text is none.
func frontMatter(b []byte, start int) Span {
	mark := readLine(b, start)
	if mark.indent > 0 || !bytes.Equal(trimmed(mark.text), []byte("---")) && !bytes.Equal(trimmed(mark.text), []byte("+++")) {
		return Span{}
	}
	first := true
	for at := mark.end; at < len(b); {
		l := readLine(b, at)
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
