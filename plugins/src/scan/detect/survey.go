package detect

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/diff"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml"
)

// survey holds the facts about a text that several proofs need. Each is computed once, when a
// proof asks for it.
type survey struct {
	b      []byte
	read   bool
	starts lineStarts
	doc    *markdown.Doc
	counts *census

	placesKnown, hasPlaces bool // whether most lines begin with the place they are from
}

// lineStarts describes how the lines of a text begin, after their indentation. Most code has no
// line that could be a heading and is refused by that.
type lineStarts struct {
	all    int  // lines
	change bool // there is a line that every diff has
	mark   bool // there is a line that begins or ends a document of YAML
	value  bool // there is a { or [ that may begin a JSON value
	header bool // there is a line that may be the header of a table: [name]
	fence  bool // there is a line with ``` or ~~~
	fenced bool // there is such a line, not indented and not at the start
	title  bool // there is a line with #, or that could underline a heading
	atx    atx  // the lines that begin with #
	other  bool // other lines affect what is a heading: an underline, a tag
}

// atx counts headings that begin with #, to distinguish them from comments.
type atx struct {
	all, first     int // all headings, and those of the first level
	stacked, above int // headings directly below another of their level, and directly above text
	end, level     int // of the last heading
}

// add counts the heading in b[start:end].
func (a *atx) add(b []byte, start, end, level int) {
	a.all++
	if level == 1 {
		a.first++
	}
	if a.all > 1 && a.end == start && a.level == level {
		a.stacked++
	}
	if end < len(b) && b[end] > ' ' {
		a.above++
	}
	a.end, a.level = end, level
}

// areComments reports whether the headings look like comments, of all headings of a text: many
// are directly below another of the same level, or all are of the first level and directly
// above other text.
func (a *atx) areComments(all int) bool {
	return a.stacked*4 > all || all > 3 && a.first == all && a.above*3 > all*2
}

// hasOnlyComments reports whether all headings look like comments. It returns false if that cannot be
// decided without reading the text as Markdown.
func (s lineStarts) hasOnlyComments() bool {
	return !s.fence && !s.other && s.atx.areComments(s.atx.all)
}

// notedStarts are the first bytes of the lines that lineStarts notes.
var notedStarts = [256]bool{'{': true, '[': true, '`': true, '~': true, '#': true, '=': true, '-': true, '<': true, 'd': true, 'I': true, 'c': true, 'F': true, '.': true}

// lines returns how the lines of the text begin.
func (s *survey) lines() lineStarts {
	if !s.read {
		s.read = true
		s.starts = readStarts(s.b)
	}
	return s.starts
}

func readStarts(b []byte) (s lineStarts) {
	for at := lines.Start(b); at < len(b); at = lines.End(b, at) {
		start := at
		s.all++
		for b[at] == ' ' || b[at] == '\t' || b[at] == '\r' {
			if at++; at == len(b) {
				return s
			}
		}
		if notedStarts[b[at]] {
			s.add(b, start, at)
		}
	}
	return s
}

// add notes the line that begins at start, with its text at an offset.
func (s *lineStarts) add(b []byte, start, at int) {
	switch c := b[at]; c {
	case '{', '[':
		s.value = s.value || opensValue(b, at) && continuesValue(b, at)
		s.header = s.header || c == '[' && isTableHeader(b[at:lines.End(b, at)])
	case '.':
		s.mark = s.mark || start == at && yaml.IsMark(b[at:])
	case 'd', 'I', 'c', 'F':
		s.change = s.change || start == at && diff.Begins(b[at:])
	case '`', '~':
		if at+2 < len(b) && b[at+1] == c && b[at+2] == c {
			s.fence = true
			s.fenced = s.fenced || start == at && start > 0
		}
	case '#':
		s.addHeading(b, start, at)
	case '<':
		s.other = true
	default:
		if start == at && c == '-' {
			s.change = s.change || diff.Begins(b[at:])
			s.mark = s.mark || yaml.IsMark(b[at:])
		}
		if isUnderline(b, at) && isBlockIndent(b[start:at]) {
			s.title, s.other = true, true
		}
	}
}

// isTableHeader reports whether a line that begins with [ may end with ] or a comment. An attribute of code with
// parentheses is none.
func isTableHeader(line []byte) bool {
	end := bytes.IndexByte(line, ']')
	rest := bytes.TrimLeft(line[end+1:], "] \t\r\n")
	return end > 1 && bytes.IndexByte(line[:end], '(') < 0 && (len(rest) == 0 || rest[0] == '#' || rest[0] == ';')
}

// addHeading notes a line that begins with #, if it may be a heading.
func (s *lineStarts) addHeading(b []byte, start, at int) {
	n := runEnd(b, at)
	if n-at > 6 || n < len(b) && !isSpace(b[n]) || !isBlockIndent(b[start:at]) {
		return
	}
	s.title = true
	s.other = s.other || at > start || n < len(b) && b[n] == '\r' // it may be in a list, or CR does not end a line
	s.atx.add(b, start, lines.End(b, n-1), n-at)
}

// isOutline reports whether a text consists of lists below headings of several levels. In
// YAML these would be a list with comments, but comments have no levels.
func (s *survey) isOutline() bool {
	if h := s.lines().atx; h.all < manyHeadings || h.first*2 >= h.all || !s.hasOnlyLists() {
		return false
	}
	doc := s.markdown()
	if len(doc.Fences) > 0 {
		return false
	}
	level := int8(0)
	for i := range doc.Headings {
		h := &doc.Headings[i]
		if !h.ATX || h.Level > level+1 || level == 0 && h.Level > 1 {
			return false
		}
		level = max(1, h.Level)
	}
	return true
}

// hasHeadingsAndLinks reports whether a text has headings of three levels, and links. A change log has both, and
// may be valid YAML: "- fix: text" is a list item with a key.
func (s *survey) hasHeadingsAndLinks() bool {
	return s.lines().atx.first*2 < s.lines().atx.all && hasLinks(s.b) && !areComments(s.b, s.markdown()) && countFeatures(s.b, s.markdown()) > 1
}

// hasOnlyLists reports whether all lines that are not indented are headings or items of
// lists.
func (s *survey) hasOnlyLists() bool {
	items := 0
	for at := lines.Start(s.b); at < len(s.b); {
		end := lines.End(s.b, at)
		switch line := s.b[at:end]; {
		case isSpace(line[0]), line[0] == '#':
		case (line[0] == '-' || line[0] == '*') && len(line) > 1 && line[1] == ' ':
			items++
		default:
			return false
		}
		at = end
	}
	return items > 0
}

// isUnderline reports whether a line consists of one repeated byte.
func isUnderline(b []byte, at int) bool {
	n := runEnd(b, at)
	for n < len(b) && b[n] != '\n' && isSpace(b[n]) {
		n++
	}
	return n == len(b) || b[n] == '\n'
}

// runEnd returns the offset after the run of equal bytes at an offset.
func runEnd(b []byte, at int) int {
	c := b[at]
	for at < len(b) && b[at] == c {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isBlockIndent reports whether a block outside a list may have this indentation.
func isBlockIndent(indent []byte) bool {
	return len(indent) < 4 && bytes.IndexByte(indent, '\t') < 0
}

// opensValue reports whether the bracket at an offset may begin a JSON array or
// object, and not a block of code.
func opensValue(b []byte, at int) bool {
	next := json.SkipSpace(b, at+1)
	if next == len(b) {
		return false
	}
	c := b[next]
	if b[at] == '{' {
		return c == '"' || c == '}'
	}
	return bytes.IndexByte([]byte(`"{[]-tfn0123456789`), c) >= 0
}

// continuesValue reports whether a JSON array or object that may begin at an offset continues as one
// after its first element, as far as a short look shows. A literal of a composite type does not.
func continuesValue(b []byte, at int) bool {
	const look = 256
	open, next := b[at], json.SkipSpace(b, at+1)
	switch c := b[next]; c {
	case '{', '[':
		return opensValue(b, next)
	case '}', ']':
		return next+1 == len(b) || b[next+1] <= ' '
	case '"':
		end := min(len(b), next+look)
		for next++; next < end && b[next] != '"'; next++ {
			if b[next] == '\\' {
				next++
			}
		}
		if next++; next >= end {
			return true
		}
	default:
		for next < len(b) && (isWord(b[next]) || b[next] == '-' || b[next] == '+' || b[next] == '.') {
			next++
		}
	}
	next = json.SkipSpace(b, next)
	return next == len(b) || b[next] == ':' && open == '{' || (b[next] == ',' || b[next] == ']') && open == '['
}

// markdown returns the text read as Markdown.
func (s *survey) markdown() *markdown.Doc {
	if s.doc == nil {
		s.doc = markdown.Scan(s.b)
	}
	return s.doc
}

// hasScalarBelowMatter reports whether the text has front matter and then several lines that are no collection of YAML.
func (s *survey) hasScalarBelowMatter() bool {
	if !bytes.HasPrefix(s.b[lines.Start(s.b):], []byte("---")) {
		return false
	}
	end := markdown.FindFrontMatter(s.b).End
	rest := bytes.TrimSpace(s.b[end:])
	return end > 0 && lines.Count(rest) > 1 && !yaml.IsMark(rest) && yaml.IsScalar(rest)
}

// isAroundFence reports whether a text without headings is Markdown nevertheless: it has a fence, and outside of it a table,
// sentences or nothing.
func (s *survey) isAroundFence() bool {
	if !s.lines().fence || len(s.markdown().Fences) == 0 {
		return false
	}
	c := s.takeCensus()
	if s.doc.FencedBytes()*10 > len(s.b)*9 && c.all() == 0 {
		return len(s.doc.Fences) == 1 && s.doc.Fences[0].Info.Start < s.doc.Fences[0].Info.End
	}
	rest := c.code + c.setting
	for _, rule := range []string{"-|-", "- |-", "-|:-", "- | -", "- | :-"} {
		if bytes.Contains(s.b, []byte(rule)) {
			return !c.refuted && (c.sentence+c.short+c.mark >= rest || c.rows*10 >= c.all()*9)
		}
	}
	return !c.refuted && c.sentence*2 >= c.all() && rest*8 <= c.all()
}

// isMatter reports whether the text has front matter with keys, and then a fence or text of a
// natural language.
func (s *survey) isMatter() bool {
	start := s.b[lines.Start(s.b):]
	if !bytes.HasPrefix(start, []byte("---\n")) && !bytes.HasPrefix(start, []byte("---\r\n")) {
		return false
	}
	front := markdown.FindFrontMatter(s.b)
	rest := s.b[front.End:]
	if front.End == 0 || bytes.IndexByte(s.b[front.Start:front.End], ':') < 0 || len(bytes.TrimSpace(rest)) == 0 {
		return false
	}
	if s.lines().fenced && len(s.markdown().Fences) > 0 {
		return true
	}
	c := s.takeCensus()
	text := c.sentence + c.short + c.mark + c.note
	return !c.refuted && c.sentence+c.note > 0 && text >= (c.code+c.setting+c.tag)*2 && (yaml.IsScalar(rest) || c.sentence*2 > text && !bytes.Contains(rest, []byte("\n---\n")))
}

// takeCensus returns the census of the text.
func (s *survey) takeCensus() census {
	if s.counts == nil {
		s.counts = &census{}
		s.counts.count(s.b, s.blocks(), 1)
	}
	return *s.counts
}

// isProse reports whether the text is prose according to its census. If there is no census yet, it is
// taken only until the answer is no. Of a long text, a few stretches are counted first.
func (s *survey) isProse() bool {
	if s.counts != nil {
		return s.counts.isProse()
	}
	if len(s.b) > 2*censusWhole {
		var c census
		if c.count(s.b, s.blocks(), 4); c.sentence*2 < c.all() {
			return false
		}
	}
	c := census{proseOnly: true, linesLeft: s.lines().all}
	c.count(s.b, s.blocks(), 1)
	return c.isProse()
}

// places reports whether most lines begin with the place they are from, such as "a.go:12:".
func (s *survey) places() bool {
	if !s.placesKnown {
		s.placesKnown, s.hasPlaces = true, places(s.b)
	}
	return s.hasPlaces
}

// blocks returns the text read as Markdown if it may have blocks that are not counted: fences and
// front matter.
func (s *survey) blocks() *markdown.Doc {
	text := s.b[lines.Start(s.b):]
	if s.doc == nil && !s.lines().fence && !bytes.HasPrefix(text, []byte("---")) && !bytes.HasPrefix(text, []byte("+++")) {
		return &markdown.Doc{}
	}
	return s.markdown()
}
