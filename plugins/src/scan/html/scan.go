package html

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// span is [start, end) in the text.
type span struct{ start, end int32 }

// of returns the text of a span.
func (s span) of(b []byte) []byte { return b[s.start:s.end] }

// Limits of cuts. There may be half as many headings.
const (
	maxCuts     = 1 << 17 // twice the number of sections
	bytesPerCut = 24      // so that cuts take at most three times the memory of the text
	minCuts     = 1 << 15 // for any text
	maxHolders  = 16      // nested lists and tables with cuts
)

// scanner reads the tags of a text.
type scanner struct {
	b            []byte
	at           int
	headings     []headline
	headingCount int // includes headings that are not kept
	cuts         []cut
	maxCuts      int
	bodies       []span // contents of scripts and styles
	title        span
	holders      []uint64 // keys of the open lists and tables
	afterHolder  bool     // a list, table or script has ended, and nothing has begun since
	wrapped      bool     // the last cut is a block that contains others, and nothing has begun since
	anchor       span     // name of the anchor right before

	components bool // the text is the template of a component

	document  bool // the text declares that it is a page
	tags      int
	unknown   int  // tags that are not known
	sure      int  // tags that hardly occur in other formats
	sureFirst bool // the first tag is one of those
	verbatim  int  // open pre and code elements
	depth     int  // open blocks, without those with an optional end tag
	paragraph bool // such a block is open
	inside    int  // bytes of text in elements
	outside   int  // bytes of text outside of elements
	markdown  bool // there is a heading or a fence of Markdown
}

// readAll reads the text to its end.
func (s *scanner) readAll() {
	s.maxCuts = min(max(len(s.b)/bytesPerCut, minCuts), maxCuts)
	for s.at < len(s.b) {
		if s.b[s.at] != '<' {
			start := s.at
			if n := lines.IndexByte(s.b[start:], '<'); n >= 0 {
				s.at += n
			} else {
				s.at = len(s.b)
			}
			s.addText(start, s.at)
		}
		if s.at+1 >= len(s.b) {
			return
		}
		s.readMarkup()
	}
}

// addText counts the text between two tags.
func (s *scanner) addText(start, end int) {
	for start < end && isSpace(s.b[start]) {
		start++
	}
	if start == end {
		return
	}
	s.cutAfterHolder(start)
	s.anchor = span{}
	s.markdown = s.markdown || !s.document && s.verbatim == 0 && hasMarkdown(s.b[max(0, start-1):end])
	switch {
	case s.depth > 0 || s.paragraph || s.document:
		s.inside += end - start
	case lines.IndexByte(s.b[start:end], '{') >= 0:
		s.outside += textSize(s.b, start, end)
	default:
		s.outside += end - start
	}
}

// cutAfterHolder adds a cut before content that follows a list or a table and is not a
// block.
func (s *scanner) cutAfterHolder(at int) {
	s.wrapped = false
	if s.afterHolder {
		s.addCut(cut{at: int32(at), rank: s.blockRank(), kind: atText})
	}
}

// readMarkup reads a tag, a comment or a declaration. A "<" that begins none of these is
// text.
func (s *scanner) readMarkup() {
	c := s.b[s.at+1]
	switch {
	case isLetter(c):
		s.readStartTag()
	case c == '/' && s.at+2 < len(s.b) && isLetter(s.b[s.at+2]):
		s.readEndTag()
	case c == '!' || c == '?' || c == '/':
		s.cutAfterHolder(s.at)
		if end := declarationEnd(s.b, s.at); end > 0 {
			s.at = end
		} else {
			s.at = len(s.b)
		}
	default:
		s.addText(s.at, s.at+1)
		s.at++
	}
}

// declarationEnd returns the end of a comment, an instruction or a declaration, -1 if
// it does not end.
func declarationEnd(b []byte, at int) int {
	mark := ">"
	if bytes.HasPrefix(b[at:], []byte("<!--")) {
		at, mark = at+2, "-->"
	}
	if n := bytes.Index(b[at+1:], []byte(mark)); n >= 0 {
		return at + 1 + n + len(mark)
	}
	return -1
}

// readStartTag reads a start tag.
func (s *scanner) readStartTag() {
	start := s.at
	nameEnd := nameEnd(s.b, start+1)
	k := key(s.b[start+1 : nameEnd])
	info := infoOf(k)
	if info == 0 && isAddress(s.b, nameEnd) {
		s.addText(start, nameEnd)
		s.at = nameEnd
		return
	}
	end := tagEnd(s.b, nameEnd)
	if info == 0 && s.isComponent(start+1, nameEnd) {
		info = known | block | holder
		if s.b[end-2] == '/' {
			info &^= holder
		}
	}
	s.tags++
	switch {
	case info == 0:
		if lines.IndexByte(s.b[start:nameEnd], '-') < 0 { // custom elements have a hyphen in their name
			s.unknown++
		}
	case info&sure != 0:
		s.sure++
		s.sureFirst = s.sureFirst || s.tags == 1
	}
	if s.at = end; end == len(s.b) && s.b[end-1] != '>' {
		return
	}
	s.openElement(info)
	switch {
	case info&raw != 0:
		s.readRaw(start, end, k, info)
	case info&heading != 0:
		s.addHeading(start, end, int32(s.b[start+2]-'0'))
	case info&item != 0:
		s.addCut(cut{at: int32(start), tag: int32(start), rank: s.itemRank()})
	case info&block != 0 && s.wrapped:
		s.cuts[len(s.cuts)-1].tag, s.wrapped = int32(start), s.isWrapper(info, nameEnd)
	case info&block != 0:
		s.addCut(cut{at: int32(start), tag: int32(start), rank: s.blockRank()})
		s.wrapped = s.isWrapper(info, nameEnd) && len(s.cuts) < s.maxCuts
	case info&optional == 0:
		s.cutAfterHolder(start)
	}
	if k == keyPre || k == keyCode {
		s.verbatim++
	}
	if info&holder != 0 && len(s.holders) < maxHolders {
		s.holders = append(s.holders, k)
	}
	s.anchor = span{}
	if k == keyA {
		s.anchor = anchorName(s.b, nameEnd, end)
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

// isWrapper reports whether a block has no id and is named by the first block inside.
func (s *scanner) isWrapper(info tagInfo, nameEnd int) bool {
	return info&wrap != 0 && attribute(s.b, nameEnd, s.at, "id") == span{}
}

// openElement updates the state of open elements for a start tag.
func (s *scanner) openElement(info tagInfo) {
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

// readEndTag reads an end tag.
func (s *scanner) readEndTag() {
	start := s.at + 2
	nameEnd := nameEnd(s.b, start)
	k := key(s.b[start:nameEnd])
	s.at = tagEnd(s.b, nameEnd)
	info := infoOf(k)
	if info == 0 && s.isComponent(start, nameEnd) {
		info = known | block | holder
	}
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
			s.holders, s.afterHolder = s.holders[:i], true
			return
		}
	}
}
