package htmlscan

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// span is [start, end) in the text.
type span struct{ start, end int32 }

const (
	maxFound   = 1 << 17 // cuts that are noted: twice as many as there can be sections,
	cutBytes   = 24      // and one for so many bytes, so that they take no more than three times the memory of the text,
	minFound   = 1 << 15 // but these in any case; half as many headings
	maxHolders = 16      // lists and tables in each other in which is cut
)

// scanner reads the tags of a text.
type scanner struct {
	b        []byte
	at       int
	headings []headline
	titles   int // headings, those too that are not noted
	cuts     []cut
	most     int    // cuts that are noted, and twice the headings
	bodies   []span // what scripts and styles hold
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

func (s *scanner) scan() {
	s.most = min(max(len(s.b)/cutBytes, minFound), maxFound)
	for s.at < len(s.b) {
		if s.b[s.at] != '<' {
			start := s.at
			if n := lines.IndexByte(s.b[start:], '<'); n >= 0 {
				s.at += n
			} else {
				s.at = len(s.b)
			}
			s.text(start, s.at)
		}
		if s.at+1 >= len(s.b) {
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

// begin cuts before what follows a list or a table without being a block.
func (s *scanner) begin(at int) {
	s.wrapped = false
	if s.after {
		s.cut(cut{at: int32(at), rank: s.blockRank(), is: atText})
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
		s.wrapped = s.wraps(info, nameEnd) && len(s.cuts) < s.most
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
