package detect

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

// proveMarkdown asks for headings and for text between them: "# " begins
// comments too, so the lines between must not be code or settings.
func proveMarkdown(s *survey, o Options) (Result, bool) {
	if starts := s.lines(); !starts.title && !starts.fence {
		return Result{}, false
	}
	if o.Force == "" && o.claim != Markdown && s.lines().commented() {
		return Result{}, false
	}
	doc := s.markdown()
	if len(doc.Headings) == 0 {
		return Result{}, false
	}
	if o.Force == "" && !isMarkdown(s, doc, o.claim == Markdown) {
		return Result{}, false
	}
	t := Markdown
	if doc.FencedBytes()*3 > len(s.b) {
		t = Mixed
	}
	return Result{Type: t, Doc: doc}, true
}

// proveProse asks for sentences on most lines.
func proveProse(s *survey, o Options) (Result, bool) {
	if o.Force == "" && !s.prose() {
		return Result{}, false
	}
	return Result{Type: Prose, Doc: s.markdown()}, true
}

// isMarkdown weighs a text that has headings. One that is called Markdown, or has
// two marks that hardly anything else has, may hold more of other things.
func isMarkdown(s *survey, doc *markdown.Doc, named bool) bool {
	b, code := s.b, comments(s.b, doc)
	if code && !named {
		return false
	}
	c := s.census()
	switch {
	case named && (marks(b, doc) > 0 || !code && c.sentence > 0):
		return !c.refuted && (c.sentence+c.short+c.tag+c.mark)*2 >= c.code+c.setting
	case code:
		return false
	case doc.FencedBytes()*2 > len(b): // little is left to weigh
		return !c.refuted && c.code <= c.sentence+c.short+c.mark+c.setting
	case marks(b, doc) >= 2:
		return !c.refuted && (c.sentence+c.short)*2 >= c.code+c.setting
	}
	return c.markdown(len(doc.Headings))
}

// marks counts the kinds of what Markdown has and comments have not: front matter,
// fences, links, headings of three levels.
func marks(b []byte, doc *markdown.Doc) (kinds int) {
	if doc.Front.End > 0 {
		kinds++
	}
	if len(doc.Fences) > 0 {
		kinds++
	}
	if bytes.Count(b[:min(len(b), censusWhole)], []byte("](")) > 1 {
		kinds++
	}
	levels := 0
	for _, h := range doc.Headings {
		levels |= 1 << h.Level
	}
	if bits.OnesCount(uint(levels)) > 2 {
		kinds++
	}
	return kinds
}

// comments reports whether the headings look like comments.
func comments(b []byte, doc *markdown.Doc) bool {
	var a atx
	for i := range doc.Headings {
		if h := &doc.Headings[i]; h.ATX {
			a.add(b, int(h.Start), int(h.End), int(h.Level))
		}
	}
	return a.comments(len(doc.Headings))
}

// census weighs the lines of a text outside fences by what they look like. A
// line weighs more if it is long, but a paragraph on one line not as much as
// the same on many.
type census struct {
	sentence int // words of a natural language
	mark     int // headings, rules, tables, quotes, images
	short    int // a few words, list items
	code     int // punctuation, keywords, comments, log lines
	setting  int // key: value, key = value
	tag      int // begins with <
	lines    int // not blank
	refuted  bool

	// It is asked for prose alone, and may end as soon as there is none whatever comes:
	// at most so many lines and bytes.
	hurry                bool
	linesLeft, bytesLeft int
}

// prose: three quarters sentences, little that sentences have not.
func (c census) prose() bool {
	all := c.all()
	return !c.refuted && c.sentence*4 > all*3 && (c.code+c.setting+c.tag)*10 <= all
}

// all is the weight of all lines.
func (c census) all() int { return c.sentence + c.short + c.code + c.setting + c.tag + c.mark }

// linesPerHeading is how far apart headings may be on average. One line that
// looks like a heading in a long text is an accident.
const linesPerHeading = 300

// markdown: some text under the headings, and not much of anything else.
func (c census) markdown(headings int) bool {
	text := c.sentence + c.short
	all := text + c.code + c.setting + c.tag
	switch {
	case c.refuted || all == 0 || headings*linesPerHeading < c.lines:
		return false
	case c.sentence*4 < all: // lists of links, tables
		return c.mark > headings && (c.code+c.setting)*8 <= all && c.sentence > 0
	}
	return c.code*5 <= all && c.setting*5 <= all && c.tag*2 <= all
}

// neverProse reports whether what is left, all of sentences, would not make prose of
// it: a line that weighs 1 has at least four words of a letter.
func (c *census) neverProse() bool {
	const leastLine = len("a b c d\n")
	most := c.sentence + min(c.bytesLeft/leastLine, c.linesLeft+c.bytesLeft/perWeight)
	return (c.all()-c.sentence)*3 > most || (c.code+c.setting+c.tag)*30 > most*4
}

// A line weighs 1, and one more for so many of its bytes.
const (
	perWeight  = 80
	maxWeighed = 400
)

// A text is counted whole up to censusWhole bytes; of a longer one that many in
// stretches from all over it, which says the same.
const (
	censusWhole   = 24 << 10
	censusStretch = 3 << 9
)

// count takes the census of b, of a long text in every n-th stretch.
func (c *census) count(b []byte, doc *markdown.Doc, n int) {
	at := Start(b)
	if doc.Front.End > 0 {
		at = int(doc.Front.End)
	}
	c.refuted = bytes.HasPrefix(b[at:], []byte("#!")) || damagedJSON(b[at:])
	text := len(b) - at
	c.bytesLeft = min(text, censusWhole/censusStretch*(censusStretch+maxWeighed))
	if text <= censusWhole {
		c.stretch(b, at, len(b), doc.Fences)
		return
	}
	const stretches = censusWhole / censusStretch
	for i := 0; i < stretches; i += n {
		from := at + i*(text/stretches)
		if i > 0 {
			from = lines.End(b, from)
		}
		c.stretch(b, from, min(from+censusStretch, len(b)), doc.Fences)
	}
	c.lines *= max(1, text/censusWhole)
}

// stretch counts the lines that begin in b[at:end], those in fences left out.
func (c *census) stretch(b []byte, at, end int, fences []markdown.Fence) {
	fence, _ := slices.BinarySearchFunc(fences, int32(at), func(f markdown.Fence, at int32) int { return int(f.End - at) })
	until := "" // the end of an open comment
	for at < end && !c.refuted {
		if fence < len(fences) && at >= int(fences[fence].Start) {
			at = max(at, int(fences[fence].End))
			fence++
			continue
		}
		next := lines.End(b, at)
		until = c.line(b[at:next], until)
		if c.hurry {
			c.linesLeft--
			c.bytesLeft -= min(next-at, maxWeighed)
			c.refuted = c.refuted || c.neverProse()
		}
		at = next
	}
}

// damagedJSON reports a text that begins like JSON: it is asked after JSON was
// not proved.
func damagedJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return false
	}
	b = bytes.TrimLeft(b[1:], " \t\r\n")
	return len(b) > 0 && (b[0] == '"' || b[0] == '{')
}

// line weighs one line and returns the end of the comment that is open after
// it, if one is: of /* in code, of <!-- in Markdown.
func (c *census) line(line []byte, until string) string {
	end := len(line)
	for end > 0 && white(line[end-1]) {
		end--
	}
	start := 0
	for start < end && (line[start] == ' ' || line[start] == '\t') {
		start++
	}
	text := line[start:end]
	if len(text) == 0 {
		return until
	}
	c.lines++
	weight := 1 + min(len(text), maxWeighed)/perWeight
	if until == "" {
		until = comment(text)
	}
	if until != "" {
		if until == "*/" {
			c.code += weight
		}
		if bytes.Contains(text, []byte(until)) {
			return ""
		}
		return until
	}
	switch look(text, start) {
	case refutingLine:
		c.refuted = true
	case sentenceLine:
		c.sentence += weight
	case markLine:
		c.mark += weight
	case shortLine:
		c.short += weight
	case codeLine:
		c.code += weight
	case settingLine:
		c.setting += weight
	case tagLine:
		c.tag += weight
	}
	return ""
}

// comment returns the end of the comment that text begins with.
func comment(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("/*")):
		return "*/"
	case bytes.HasPrefix(text, []byte("<!--")):
		return "-->"
	}
	return ""
}
