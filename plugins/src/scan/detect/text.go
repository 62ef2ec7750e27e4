package detect

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

// proveMarkdown requires headings and text between them. "# " begins comments too, so the
// lines between must not be code or settings.
func proveMarkdown(s *survey, o Options) (Result, bool) {
	if starts := s.lines(); !starts.title && !starts.fence && !starts.mark && !(o.claim == Markdown && starts.other) {
		return Result{}, false
	}
	if o.Force == "" && o.claim != Markdown && s.lines().hasOnlyComments() {
		return Result{}, false
	}
	doc := s.markdown()
	if len(doc.Headings) == 0 && (o.Force != "" || !s.isMatter() && !s.isAroundFence()) {
		return Result{}, false
	}
	if o.Force == "" && len(doc.Headings) > 0 && !isMarkdown(s, doc, o.claim == Markdown) {
		return Result{}, false
	}
	t := Markdown
	if doc.FencedBytes()*3 > len(s.b) {
		t = Mixed
	}
	return Result{Type: t, Doc: doc}, true
}

// proveProse requires sentences on most lines. A text that is called Markdown may have items of lists and
// short lines instead.
func proveProse(s *survey, o Options) (Result, bool) {
	if o.Force == "" && !s.isProse() && !(o.claim == Markdown && s.takeCensus().isText()) {
		return Result{}, false
	}
	return Result{Type: Prose, Doc: s.markdown()}, true
}

// isMarkdown weighs the lines of a text that has headings. A text that is called Markdown, or that
// has two features that other texts rarely have, may contain more of other lines.
func isMarkdown(s *survey, doc *markdown.Doc, named bool) bool {
	b, code := s.b, areComments(s.b, doc)
	if code && !named {
		return false
	}
	c := s.takeCensus()
	switch {
	case named && len(doc.Headings) >= manyHeadings, s.isOutline():
		return !c.refuted
	case named && (countFeatures(b, doc) > 0 || !code && c.sentence > 0):
		return !c.refuted && (c.sentence+c.short+c.tag+c.mark)*2 >= c.code+c.setting
	case code:
		return false
	case doc.FencedBytes()*2 > len(b): // few lines remain
		return !c.refuted && c.code <= c.sentence+c.short+c.mark+c.setting
	case countFeatures(b, doc) >= 2 && (c.sentence+c.short+c.mark+c.note)*2 >= c.code+c.setting:
		return !c.refuted
	}
	return c.markdown(len(doc.Headings)) || c.isListed(doc) || countFeatures(b, doc) > 0 && c.isAround(doc)
}

// manyHeadings is the number of headings from which a file with an extension of Markdown is
// detected as Markdown without looking at its other lines.
const manyHeadings = 3

// countFeatures counts the features that Markdown has and comments do not: front matter, fences,
// links, headings of three levels.
func countFeatures(b []byte, doc *markdown.Doc) (kinds int) {
	if doc.Front.End > 0 {
		kinds++
	}
	if len(doc.Fences) > 0 {
		kinds++
	}
	if hasLinks(b) {
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

// hasLinks reports whether a text has links of Markdown near its start.
func hasLinks(b []byte) bool {
	b = b[:min(len(b), censusWhole)]
	first := lines.Index(b, "](")
	return first >= 0 && lines.Index(b[first+1:], "](") >= 0
}

// areComments reports whether the headings look like comments.
func areComments(b []byte, doc *markdown.Doc) bool {
	var a atx
	for i := range doc.Headings {
		if h := &doc.Headings[i]; h.ATX {
			a.add(b, int(h.Start), int(h.End), int(h.Level))
		}
	}
	return a.areComments(len(doc.Headings))
}

// census weighs the lines of a text outside fences by their kind. A long line weighs more, but a
// paragraph on one line weighs less than the same on many.
type census struct {
	sentence int // words of a natural language
	mark     int // headings, rules, tables, quotes, images
	short    int // a few words, list items
	code     int // punctuation, keywords, comments, log lines
	setting  int // key: value, key = value
	tag      int // begins with <
	note     int // in a comment of Markdown
	rows     int // with bars, not counted as a mark: also in short, code or setting
	item     int // of a list, not counted as a sentence: also in short, code or setting
	starred  int // of item, with the mark *, which no list of YAML has: also in code or setting
	inner    int // indented like a block of code: also in short, code, setting or tag
	innards  int // of inner, what is also in code or setting
	lines    int // not blank
	refuted  bool

	// proseOnly stops the census as soon as the text cannot be prose, with at most linesLeft lines and
	// bytesLeft bytes left to count.
	proseOnly            bool
	linesLeft, bytesLeft int
}

// isProse reports whether three quarters are sentences and few lines are code, settings or tags.
func (c census) isProse() bool {
	all := c.all()
	return !c.refuted && c.sentence*4 > all*3 && (c.code+c.setting+c.tag)*10 <= all
}

// isText reports whether few lines are code, settings or tags.
func (c census) isText() bool {
	return !c.refuted && c.sentence > 0 && (c.code+c.setting+c.tag)*6 <= c.all()
}

// all returns the weight of all lines.
func (c census) all() int { return c.sentence + c.short + c.code + c.setting + c.tag + c.mark }

// linesPerHeading is the largest average distance of headings. A single line in a long text may look
// like a heading by accident.
const linesPerHeading = 300

// markdown reports whether there is text under the headings, and little else.
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

// isListed reports whether items of lists, tables, notes and sentences are most of a text with headings, and little of
// the rest is code.
func (c census) isListed(doc *markdown.Doc) bool {
	all := c.all() + c.note
	text := c.sentence + c.item + c.mark + c.note
	return !c.refuted && text > len(doc.Headings) && c.tag*4 <= all && text*5 >= (all-c.tag)*3 && (c.code+c.setting-c.starred)*6 <= all && len(doc.Headings)*linesPerHeading >= c.lines
}

// isAround reports whether a text with several headings is sentences around blocks of indented code: outside of these,
// most lines are sentences and few are code.
func (c census) isAround(doc *markdown.Doc) bool {
	outside := c.all() - c.inner
	return !c.refuted && len(doc.Headings) >= manyHeadings && c.sentence*2 >= outside-c.mark && c.sentence*2 >= c.inner && (c.code+c.setting-c.innards)*8 <= outside
}

// cannotBeProse reports whether the text is no prose even if all lines left are sentences. A line of
// weight 1 has at least four words of one letter.
func (c *census) cannotBeProse() bool {
	const leastLine = len("a b c d\n")
	most := c.sentence + min(c.bytesLeft/leastLine, c.linesLeft+c.bytesLeft/perWeight)
	return (c.all()-c.sentence)*3 > most || (c.code+c.setting+c.tag)*30 > most*4
}

// A line weighs 1, plus 1 for each perWeight bytes.
const (
	perWeight  = 80
	maxWeighed = 400
)

// A text of up to censusWhole bytes is counted whole. Of a longer one that many bytes are counted, in
// stretches spread over the text, with the same result.
const (
	censusWhole   = 24 << 10
	censusStretch = 3 << 9
)

// count takes the census of b, in every n-th stretch if b is long.
func (c *census) count(b []byte, doc *markdown.Doc, n int) {
	at := lines.Start(b)
	if doc.Front.End > 0 {
		at = int(doc.Front.End)
	}
	c.refuted = bytes.HasPrefix(b[at:], []byte("#!")) || isDamagedJSON(b[at:])
	text := len(b) - at
	c.bytesLeft = min(text, censusWhole/censusStretch*(censusStretch+maxWeighed))
	if text <= censusWhole {
		c.addStretch(b, at, len(b), doc.Fences)
		return
	}
	const stretches = censusWhole / censusStretch
	for i := 0; i < stretches; i += n {
		from := at + i*(text/stretches)
		if i > 0 {
			from = lines.End(b, from)
		}
		c.addStretch(b, from, min(from+censusStretch, len(b)), doc.Fences)
	}
	c.lines *= max(1, text/censusWhole)
}

// addStretch counts the lines that begin in b[at:end], except those in fences.
func (c *census) addStretch(b []byte, at, end int, fences []markdown.Fence) {
	fence, _ := slices.BinarySearchFunc(fences, int32(at), func(f markdown.Fence, at int32) int { return int(f.End - at) })
	until := "" // the end of an open comment
	for at < end && !c.refuted {
		if fence < len(fences) && at >= int(fences[fence].Start) {
			at = max(at, int(fences[fence].End))
			fence++
			continue
		}
		next := lines.End(b, at)
		until = c.addLine(b[at:next], until)
		if c.proseOnly {
			c.linesLeft--
			c.bytesLeft -= min(next-at, maxWeighed)
			c.refuted = c.refuted || c.cannotBeProse()
		}
		at = next
	}
}

// isDamagedJSON reports whether a text begins like JSON. It is called for texts that are not valid
// JSON.
func isDamagedJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) == 0 || b[0] != '{' && b[0] != '[' || bytes.HasPrefix(b, []byte("{{")) { // the last opens a tag of a template
		return false
	}
	b = bytes.TrimLeft(b[1:], " \t\r\n")
	return len(b) > 0 && (b[0] == '"' || b[0] == '{')
}

// addLine weighs one line. until is the mark that ends the comment which is open before the line, and
// the result is the mark after it: of /* in code, of <!-- in Markdown, "" for none.
func (c *census) addLine(line []byte, until string) string {
	end := len(line)
	for end > 0 && isSpace(line[end-1]) {
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
		until = commentEnd(text)
	}
	if until != "" {
		if until == "*/" {
			c.code += weight
		} else {
			c.note += weight
		}
		if bytes.Contains(text, []byte(until)) {
			return ""
		}
		return until
	}
	kind := classify(text, start)
	c.add(kind, weight)
	if kind == sentenceLine || kind == markLine {
		return ""
	}
	if bytes.Contains(text, []byte(" |")) {
		c.rows += weight
	}
	if _, listed := cutItemMark(text); listed {
		c.item += weight
		if text[0] == '*' && (kind == codeLine || kind == settingLine) {
			c.starred += weight
		}
	} else if start >= 4 || line[0] == '\t' {
		c.inner += weight
		if kind == codeLine || kind == settingLine {
			c.innards += weight
		}
	}
	return ""
}

// add adds the weight of a line of a kind.
func (c *census) add(kind lineKind, weight int) {
	switch kind {
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
}

// commentEnd returns the mark that ends the comment that text begins with.
func commentEnd(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("/*")):
		return "*/"
	case bytes.HasPrefix(text, []byte("<!--")):
		return "-->"
	}
	return ""
}
