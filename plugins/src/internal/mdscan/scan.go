package mdscan

import (
	"bytes"
	"unicode/utf8"
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
	for start < len(b) {
		l := readLine(b, start)
		s.line(l)
		start = l.end
	}
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

func (s *scanner) line(l line) {
	if s.fence.n > 0 {
		if l.indent < 4 && s.fence.closes(l.text) {
			s.endFence(l.start, l.end)
		}
		return
	}
	if s.html.open() {
		if s.html.closes(l) {
			s.html = html{}
		}
		s.gap = l.blank()
		return
	}
	if l.blank() {
		s.endParagraph()
		s.gap = true
		s.inside.blank()
		return
	}
	if s.inside.holds(l) {
		if s.gap && s.inside.item == 0 {
			s.block(l.start)
		}
		s.gap = false
		return
	}
	s.inside = container{}
	if s.gap {
		s.block(l.start)
		s.gap = false
	}
	s.top(l)
}

// top reads a line that no container holds.
func (s *scanner) top(l line) {
	if l.indent >= 4 {
		if s.para {
			s.paragraph(l)
		}
		return // else indented code
	}
	if s.text >= 0 && s.setext(l) {
		return
	}
	if level, text := atx(l.text); level > 0 {
		s.heading(l.start, l.end, level, text, true)
		return
	}
	if rule(l.text) {
		s.endParagraph()
		return
	}
	if f := openFence(l.text); f.n > 0 {
		if s.tildes(f, l) {
			return
		}
		s.openFence(f, l)
		s.endParagraph()
		return
	}
	if s.inside = enter(l, s.para); s.inside.open() {
		s.endParagraph()
		return
	}
	if h := openHTML(l.text, s.para); h.open() {
		s.endParagraph()
		if h.blank || !h.closes(l) {
			s.html = h
		}
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
	s.heading(s.text, l.end, level, bytes.Trim(s.b[s.text:l.start], " \t\r\n"), false)
	return true
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
	text := bytes.Trim(s.b[s.text:l.start], " \t\r\n")
	if bytes.IndexByte(text, '\n') >= 0 || utf8.RuneCount(text) != f.n {
		return false
	}
	s.heading(s.text, l.end, 3, text, false)
	return true
}

// heading adds a heading whose text is part of the scanned text.
func (s *scanner) heading(start, end, level int, text []byte, isATX bool) {
	s.endParagraph()
	if len(s.doc.Headings) == maxFound {
		return
	}
	h := Heading{Span: Span{int32(start), int32(end)}, Level: level, ATX: isATX}
	h.Text = Span{int32(start), int32(start)}
	if at := bytes.Index(s.b[start:end], text); len(text) > 0 && at >= 0 {
		h.Text = Span{int32(start + at), int32(start + at + len(text))}
	}
	s.doc.Headings = append(s.doc.Headings, h)
}

func (s *scanner) openFence(f fence, l line) {
	at := l.start + max(0, bytes.Index(s.b[l.start:l.end], l.text)) + f.n
	info := bytes.TrimLeft(l.text[f.n:], " \t")
	at += len(l.text) - f.n - len(info)
	info = bytes.TrimRight(info, " \t")
	s.fence = f
	s.fenced = Fence{Span: Span{Start: int32(l.start)}, Code: Span{Start: int32(l.end)}, Info: Span{int32(at), int32(at + len(info))}}
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

func (s *scanner) block(start int) {
	if len(s.doc.Blocks) < maxFound {
		s.doc.Blocks = append(s.doc.Blocks, int32(start))
	}
}

// frontMatter finds a block between two lines --- or +++ at the very start that
// begins with a key or a comment: a rule above a text is none.
func frontMatter(b []byte, start int) Span {
	mark := readLine(b, start)
	if mark.indent > 0 || !bytes.Equal(bytes.TrimRight(mark.text, " \t"), []byte("---")) && !bytes.Equal(bytes.TrimRight(mark.text, " \t"), []byte("+++")) {
		return Span{}
	}
	first := true
	for at := mark.end; at < len(b); {
		l := readLine(b, at)
		at = l.end
		text := bytes.TrimRight(l.text, " \t")
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
