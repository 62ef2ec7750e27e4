package htmlscan

import "bytes"

// span is [start, end) in the text.
type span struct{ start, end int32 }

// title of a page or a heading found in the text.
type headline struct {
	span        // from its start tag to behind its end tag
	text  span  // between them
	id    span  // what links to it name it by, empty if nothing
	level int32 // 1 to 6
}

// cut is where a block, an item or a row begins.
type cut struct {
	at   int32
	tag  int32 // the tag that it is called by
	rank int32 // how deep it lies: a cut ends those that have no smaller rank
	text bool  // text after a holder, no tag
	body span  // of a script or style: what it holds
}

const (
	maxFound   = 1 << 20 // headings, and cuts, that are noted
	maxHolders = 16      // lists and tables in each other in which is cut
)

// scanner reads the tags of a text.
type scanner struct {
	b        []byte
	at       int
	headings []headline
	cuts     []cut
	title    span
	holders  []uint64 // keys of the lists and tables that are open
	after    bool     // a holder has been closed, and nothing has begun since
	wrapped  bool     // the last cut is a block that holds others, and nothing has begun since
	anchor   span     // name of an anchor right before

	document      bool // a page by its own word
	tags          int
	unknown, sure int
	first         bool // the first one is hardly one of other formats
	verbatim      int  // pre and code that are open
	depth         int  // blocks that are open, without those whose end tags may be left out
	paragraph     bool // such a one is open
	inside        int  // bytes of text in elements
	outside       int  // bytes of text in none
	markdown      bool // there is a heading or a fence of Markdown
}

// begins reports whether a text begins as HTML does: with a tag, comments apart.
// XML, SVG and the like begin with a tag of their own.
func (s *scanner) begins() bool {
	s.at = frontEnd(s.b, s.at)
	at, xml := s.at, false
	for {
		for at < len(s.b) && isSpace(s.b[at]) {
			at++
		}
		rest := s.b[at:]
		if len(rest) < 2 || rest[0] != '<' {
			return false
		}
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")), rest[1] == '?':
			if at = s.markupEnd(at); at < 0 {
				return false
			}
			xml = xml || bytes.HasPrefix(rest, []byte("<?xml"))
			continue
		case rest[1] == '!':
			s.document = isDoctype(rest)
			return s.document
		}
		k := key(rest[1 : nameEnd(s.b, at+1)-at])
		s.document = infoOf(k)&root != 0
		return s.document || !xml && infoOf(k) != 0 && k != key([]byte("svg")) && k != key([]byte("math"))
	}
}

// maxFront is the size of front matter that is looked for.
const maxFront = 4096

// frontEnd is the offset behind the front matter of a template, or at.
func frontEnd(b []byte, at int) int {
	head := b[at:min(len(b), at+maxFront)]
	if !bytes.HasPrefix(head, []byte("---\n")) {
		return at
	}
	if n := bytes.Index(head, []byte("\n---\n")); n >= 0 {
		return at + n + len("\n---\n")
	}
	return at
}

// isDoctype reports the document type of HTML, of any version.
func isDoctype(b []byte) bool {
	f := bytes.Fields(b[:min(len(b), 64)])
	return len(f) > 1 && bytes.EqualFold(f[0], []byte("<!doctype")) && len(f[1]) >= 4 && bytes.EqualFold(f[1][:4], []byte("html")) &&
		(len(f[1]) == 4 || f[1][4] == '>')
}

// fragment reports whether there are known tags only, but for a few, not only
// those that other formats have too, and hardly any text outside of elements.
func (s *scanner) fragment() bool {
	return !s.markdown && s.unknown*20 <= s.tags && (s.first || s.sure*5 >= s.tags) && s.outside*50 <= s.inside+s.outside
}

func (s *scanner) scan() {
	for s.at < len(s.b) {
		n := bytes.IndexByte(s.b[s.at:], '<')
		if n < 0 {
			n = len(s.b) - s.at
		}
		if n > 0 {
			s.text(s.at, s.at+n)
		}
		if s.at += n; s.at+1 >= len(s.b) {
			return
		}
		s.markup()
	}
}

// text weighs the text between two tags.
func (s *scanner) text(start, end int) {
	for start < end && isSpace(s.b[start]) {
		start++
	}
	if start == end {
		return
	}
	s.begin(start)
	s.anchor = span{}
	s.markdown = s.markdown || !s.document && s.verbatim == 0 && hasMarks(s.b[max(0, start-1):end])
	if s.depth > 0 || s.paragraph || s.document {
		s.inside += end - start
	} else {
		s.outside += end - start
	}
}

// hasMarks reports a line that begins as a heading or a fence of Markdown does.
func hasMarks(text []byte) bool {
	return bytes.Contains(text, []byte("\n##")) || bytes.Contains(text, []byte("\n# ")) || bytes.Contains(text, []byte("\n```"))
}

// begin cuts before what follows a list or a table without being a block.
func (s *scanner) begin(at int) {
	s.wrapped = false
	if s.after {
		s.cut(cut{at: int32(at), rank: s.blockRank(), text: true})
	}
}

// markup reads a tag, a comment or the like. A "<" that begins nothing is text.
func (s *scanner) markup() {
	c := s.b[s.at+1]
	switch {
	case isLetter(c):
		s.start()
	case c == '/' && s.at+2 < len(s.b) && isLetter(s.b[s.at+2]):
		s.end()
	case c == '!' || c == '?' || c == '/':
		s.begin(s.at)
		if end := s.markupEnd(s.at); end > 0 {
			s.at = end
		} else {
			s.at = len(s.b)
		}
	default:
		s.text(s.at, s.at+1)
		s.at++
	}
}

// markupEnd is the offset behind a comment, an instruction or a declaration, -1
// if it does not end.
func (s *scanner) markupEnd(at int) int {
	mark := ">"
	if bytes.HasPrefix(s.b[at:], []byte("<!--")) {
		at, mark = at+2, "-->"
	}
	if n := bytes.Index(s.b[at+1:], []byte(mark)); n >= 0 {
		return at + 1 + n + len(mark)
	}
	return -1
}

// start reads a start tag.
func (s *scanner) start() {
	start := s.at
	nameEnd := nameEnd(s.b, start+1)
	k := key(s.b[start+1 : nameEnd])
	info := infoOf(k)
	end := tagEnd(s.b, nameEnd)
	s.tags++
	switch {
	case info == 0:
		s.unknown++
	case info&sure != 0:
		s.sure++
		s.first = s.first || s.tags == 1
	}
	if s.at = end; end == len(s.b) && s.b[end-1] != '>' {
		return
	}
	s.opens(info)
	switch {
	case info&raw != 0:
		s.raw(start, end, k, info)
	case info&heading != 0:
		s.heading(start, end, int32(s.b[start+2]-'0'))
	case info&item != 0:
		s.cut(cut{at: int32(start), tag: int32(start), rank: s.itemRank()})
	case info&block != 0 && s.wrapped:
		s.cuts[len(s.cuts)-1].tag, s.wrapped = int32(start), s.wraps(info, nameEnd)
	case info&block != 0:
		s.cut(cut{at: int32(start), tag: int32(start), rank: s.blockRank()})
		s.wrapped = s.wraps(info, nameEnd) && len(s.cuts) < maxFound
	case info&optional == 0:
		s.begin(start)
	}
	if k == keyPre || k == keyCode {
		s.verbatim++
	}
	if info&holder != 0 && len(s.holders) < maxHolders {
		s.holders = append(s.holders, k)
	}
	s.anchor = span{}
	if k == keyA {
		s.anchor = linkName(s.b, nameEnd, end)
	}
}

var (
	keyA      = key([]byte("a"))
	keyPre    = key([]byte("pre"))
	keyCode   = key([]byte("code"))
	keyTitle  = key([]byte("title"))
	keyScript = key([]byte("script"))
	keyStyle  = key([]byte("style"))
)

// wraps reports a block that is called by what it holds: it has no name.
func (s *scanner) wraps(info tagInfo, nameEnd int) bool {
	return info&wrap != 0 && attribute(s.b, nameEnd, s.at, "id") == span{}
}

// opens keeps count of what is open.
func (s *scanner) opens(info tagInfo) {
	if info&(block|heading) != 0 {
		s.paragraph = false
	}
	switch {
	case info&optional != 0:
		s.paragraph = true
	case info&(block|heading) != 0 && info&(void|raw) == 0:
		s.depth++
	}
}

// end reads an end tag.
func (s *scanner) end() {
	nameEnd := nameEnd(s.b, s.at+2)
	k := key(s.b[s.at+2 : nameEnd])
	s.at = tagEnd(s.b, nameEnd)
	info := infoOf(k)
	switch {
	case info&optional != 0:
		s.paragraph = false
	case info&(block|heading) != 0 && info&(void|raw) == 0 && s.depth > 0:
		s.depth--
	}
	if (k == keyPre || k == keyCode) && s.verbatim > 0 {
		s.verbatim--
	}
	if info&holder == 0 {
		return
	}
	for i := len(s.holders) - 1; i >= 0; i-- {
		if s.holders[i] == k {
			s.holders, s.after = s.holders[:i], true
			return
		}
	}
}

// blockRank and itemRank are the ranks of cuts here.
func (s *scanner) blockRank() int32 { return int32(2*len(s.holders) + 1) }
func (s *scanner) itemRank() int32  { return int32(max(1, 2*len(s.holders))) }

func (s *scanner) cut(c cut) {
	s.after, s.wrapped = false, false
	if len(s.cuts) < maxFound {
		s.cuts = append(s.cuts, c)
	}
}

// raw passes over what holds no tags.
func (s *scanner) raw(start, end int, k uint64, info tagInfo) {
	name := s.b[start+1 : nameEnd(s.b, start+1)]
	body := span{int32(end), int32(closing(s.b, end, name))}
	s.at = int(body.end)
	if k == keyTitle && s.title == (span{}) && len(s.headings) == 0 {
		s.title = body
	}
	if info&block == 0 {
		s.begin(start)
		return
	}
	c := cut{at: int32(start), tag: int32(start), rank: s.blockRank()}
	if k == keyScript || k == keyStyle {
		c.body = body
	}
	s.cut(c)
	s.after = c.body != span{}
}

// closing is where the end tag of this name begins, or the end of the text.
func closing(b []byte, at int, name []byte) int {
	for {
		n := bytes.Index(b[at:], []byte("</"))
		if n < 0 {
			return len(b)
		}
		at += n
		if rest := b[at+2:]; len(rest) >= len(name) && bytes.EqualFold(rest[:len(name)], name) && nameEnd(b, at+2) == at+2+len(name) {
			return at
		}
		at += 2
	}
}

// heading notes a heading: up to its end tag, or to where it must have ended.
func (s *scanner) heading(start, end int, level int32) {
	s.after, s.wrapped = false, false
	if len(s.headings) == maxFound {
		return
	}
	h := headline{span: span{int32(start), int32(end)}, text: span{int32(end), int32(end)}, level: level, id: attribute(s.b, start+3, end, "id")}
	if h.id == (span{}) {
		h.id = s.anchor
	}
	for at := end; ; {
		n := bytes.IndexByte(s.b[at:], '<')
		if n < 0 || at+n+3 >= len(s.b) {
			break
		}
		at += n
		name, closes := at+1, s.b[at+1] == '/'
		if closes {
			name++
		}
		k := key(s.b[name:nameEnd(s.b, name)])
		if info := infoOf(k); info&heading != 0 || info&(block|item|holder|root) != 0 {
			h.text.end, h.end = int32(at), int32(at)
			if closes && info&heading != 0 {
				h.end = int32(tagEnd(s.b, name))
			}
			break
		}
		at = tagEnd(s.b, name)
		if h.text.end = int32(at); h.id == (span{}) && !closes {
			h.id = linkName(s.b, nameEnd(s.b, name), at)
		}
	}
	s.headings = append(s.headings, h)
}

// linkName is the id or name in a start tag.
func linkName(b []byte, at, end int) span {
	if id := attribute(b, at, end, "id"); id != (span{}) {
		return id
	}
	return attribute(b, at, end, "name")
}
