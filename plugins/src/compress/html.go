package compress

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
	"github.com/mcpctl/mcpctl/plugins/src/scan/html"
)

// readable returns the readable text of HTML as Markdown: headings, lists, tables as rows,
// links with their targets, and code verbatim. Scripts, styles, comments and the other
// attributes are removed. A comment with a duty is kept.
func readable(b []byte) []byte {
	r := &reader{Lexer: html.NewLexer(b), b: b, page: page{out: make([]byte, 0, len(b)/2)}, link: target{at: -1}, code: -1, options: -1}
	for r.Next() {
		text := b[r.Start:r.End]
		if r.readMath(text) {
			continue
		}
		switch r.Kind {
		case html.TextToken:
			r.readText(text)
		case html.CDATAToken:
			r.openCell()
			r.write(string(bytes.TrimSuffix(text[len("<![CDATA["):], []byte("]]>"))))
		case html.StartTag:
			r.startTag()
		case html.EndTag:
			r.endTag()
		case html.RawToken:
			r.readRaw(text)
		case html.CommentToken:
			if text := bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("<!--")), []byte("-->")); duty.IsDuty(string(text)) {
				r.line("", text)
			}
		case html.FrontToken:
			r.out = append(r.out, bytes.TrimRight(text, "\n")...)
			r.separate(blankLine)
		}
	}
	r.closeLink()
	r.closePre()
	return r.finish()
}

// reader writes the page that the tokens describe.
type reader struct {
	*html.Lexer
	page
	b       []byte
	lists   []list
	tables  []table
	link    target
	code    int // offset of the open inline code in out, -1 if there is none
	pre     *preformatted
	stated  []string // values of the head that were written
	raised  int      // open marks of superscript and subscript
	value   string   // of the open time or abbreviation
	chosen  bool     // the open option is selected
	inMath  bool
	options int // of the open list, -1 if none is open
}

// target is an open link.
type target struct {
	at   int // offset of its text in out, -1 if none is open
	href []byte
	name []byte // its label, if it has no text
}

// preformatted is an open block of code.
type preformatted struct {
	text  []byte
	info  string
	links []byte // targets that the text does not name
	from  int    // offset of the text of the open link
}

// readMath writes a formula of MathML with its tags, because the text without them is another
// formula: 1/12 would be 112. It reports whether the token is in a formula.
func (r *reader) readMath(text []byte) bool {
	if r.pre != nil || !r.inMath && (r.Kind != html.StartTag || r.Name != "math") {
		return false
	}
	if !r.inMath {
		r.openCell()
	}
	r.inMath = r.Kind != html.EndTag || r.Name != "math"
	r.write(string(bytes.Join(bytes.Fields(text), []byte(" "))))
	return true
}

func (r *reader) readText(text []byte) {
	if r.pre != nil {
		r.pre.text = decode(r.pre.text, text)
		return
	}
	if len(bytes.TrimSpace(text)) > 0 {
		r.openCell()
	}
	r.words(text)
}

// readRaw reads the content of an element without tags.
func (r *reader) readRaw(text []byte) {
	switch r.Name {
	case "title":
		r.state("title", text)
	case "textarea", "xmp":
		r.leaveCell()
		r.fence("", decode(nil, text))
	case "script":
		if isLinkedData(r.b[:r.Start]) {
			r.fence("json", compactValue(bytes.TrimSpace(text)))
		}
	}
}

// isLinkedData reports whether a text ends with the start tag of a script with facts about
// the page for search engines. Other scripts are programs.
func isLinkedData(b []byte) bool {
	return bytes.Contains(b[max(0, bytes.LastIndexByte(b, '<')):], []byte("application/ld+json"))
}

// startTag reads a start tag.
func (r *reader) startTag() {
	if r.pre != nil {
		r.startInPre()
		return
	}
	if r.startInline() {
		return
	}
	switch r.Name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.leaveCell()
		r.separate(blankLine)
		r.write(strings.Repeat("#", int(r.Name[1]-'0')) + " ")
		r.inHeading = true
	case "ul", "ol", "menu":
		r.leaveCell()
		r.openList()
	case "li", "dt", "dd":
		r.leaveCell()
		r.startItem()
	case "blockquote":
		r.leaveCell()
		r.separate(blankLine)
		r.quotes++
	case "pre":
		r.leaveCell()
		r.closeLink()
		r.pre = &preformatted{info: languageOf(r.Attribute("class"))}
	case "table", "tr", "td", "th":
		r.startTable()
	case "meta", "link", "base":
		r.readHead()
	case "form", "input", "select", "option":
		r.startForm()
	case "p", "figure", "section", "article", "hr", "details", "caption", "dl":
		r.inHeading = false
		r.separate(blankLine)
	case "iframe", "video", "audio", "embed", "source", "track", "frame", "object":
		r.readSource()
	default:
		if r.Block {
			r.separate(lineEnd)
		}
	}
}

// startInline reads a start tag that may be within a line.
func (r *reader) startInline() bool {
	switch r.Name {
	case "a":
		r.openLink()
	case "img":
		r.readImage()
	case "br":
		r.separate(lineEnd)
	case "code":
		if r.code < 0 {
			r.openCell()
			r.flush()
			r.code, r.atStart = len(r.out), false
		}
	case "sup", "sub":
		r.raised++
		r.openCell()
		r.write(map[string]string{"sup": "^{", "sub": "_{"}[r.Name])
	case "del", "s", "strike":
		r.write("~~")
	case "q":
		r.write("\"")
	case "progress", "meter":
		if value := r.Attribute("value"); len(value) > 0 {
			r.openCell()
			r.words(value)
			if most := r.Attribute("max"); len(most) > 0 {
				r.write("/")
				r.words(most)
			}
		}
	case "abbr", "acronym", "dfn":
		r.value = string(r.Attribute("title"))
	case "time":
		r.value = string(r.Attribute("datetime"))
	default:
		return false
	}
	return true
}

// endTag reads an end tag.
func (r *reader) endTag() {
	switch r.Name {
	case "pre":
		r.closePre()
	case "a":
		r.closeLink()
	}
	if r.pre != nil || r.endInline() {
		return
	}
	switch r.Name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.inHeading = false
		r.separate(blankLine)
	case "ul", "ol", "menu":
		if n := len(r.lists); n > 0 {
			r.lists = r.lists[:n-1]
			r.indent = n - 1
			r.separate(map[bool]gap{true: blankLine, false: lineEnd}[n == 1])
		}
	case "blockquote":
		r.separate(blankLine)
		r.quotes = max(r.quotes-1, 0)
	case "tr", "td", "th", "table":
		r.endTable()
	case "select":
		r.endSelect()
	case "option":
		r.endOption()
	case "p", "figure", "section", "article", "details", "caption", "dl":
		r.separate(blankLine)
	default:
		if r.Block {
			r.separate(lineEnd)
		}
	}
}

// endInline reads an end tag that may be within a line.
func (r *reader) endInline() bool {
	switch r.Name {
	case "a":
	case "code":
		r.closeCode()
	case "sup", "sub":
		if r.raised > 0 {
			r.raised--
			r.out = append(r.out, '}')
		}
	case "del", "s", "strike":
		r.out = append(r.out, "~~"...)
	case "q":
		r.out = append(r.out, '"')
	case "abbr", "acronym", "dfn", "time":
		if r.value != "" && !bytes.HasSuffix(r.out, []byte(r.value)) {
			r.words([]byte(" (" + r.value + ")"))
		}
		r.value = ""
	default:
		return false
	}
	return true
}

func (r *reader) openList() {
	r.separate(map[bool]gap{true: blankLine, false: lineEnd}[len(r.lists) == 0])
	l := list{isOrdered: r.Name == "ol", next: 1}
	if n, err := strconv.Atoi(string(r.Attribute("start"))); err == nil {
		l.next = n
	}
	r.lists = append(r.lists, l)
	r.indent = len(r.lists)
}

func (r *reader) startItem() {
	switch {
	case r.Name == "dt":
		r.separate(lineEnd)
	case r.Name == "dd":
		r.item(": ")
	case len(r.lists) == 0:
		r.item("- ")
	default:
		l := &r.lists[len(r.lists)-1]
		if n, err := strconv.Atoi(string(r.Attribute("value"))); err == nil {
			l.next = n
		}
		r.item(l.marker())
	}
}

// closeCode writes the marks of inline code.
func (r *reader) closeCode() {
	at := r.code
	r.code = -1
	if at < 0 || at >= len(r.out) || bytes.IndexByte(r.out[at:], '\n') >= 0 {
		return
	}
	mark := strings.Repeat("`", longestRun(r.out[at:], '`')+1)
	r.insert(at, mark)
	r.out = append(r.out, mark...)
	if r.link.at > at {
		r.link.at += len(mark)
	}
}
