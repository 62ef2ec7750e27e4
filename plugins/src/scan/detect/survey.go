package detect

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/diff"
	"github.com/mcpctl/mcpctl/plugins/src/scan/json"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
	"github.com/mcpctl/mcpctl/plugins/src/scan/yaml"
)

// survey is what several proofs ask of the same text. It is found out once, and
// only when a proof asks.
type survey struct {
	b      []byte
	read   bool
	starts lineStarts
	doc    *markdown.Doc
	counts *census

	asked, placed bool // whether lines begin with places, and that they do
}

// lineStarts say how lines of a text begin, behind their indentation. Most code
// has no line that could be a heading, and is refused by that.
type lineStarts struct {
	all    int  // lines
	change bool // one that a diff has to have
	mark   bool // one that begins or ends a document of YAML
	value  bool // a { or [ that may begin a JSON value
	fence  bool // ``` or ~~~
	fenced bool // one that is not indented, nor at the very start
	title  bool // #, or it could underline a heading
	atx    atx  // the lines that begin with #
	other  bool // there is more that says what is a heading: an underline, a tag
}

// atx counts headings that begin with #, to tell them from comments.
type atx struct {
	all, first     int // first: of the first level
	stacked, above int // directly below another of their level; directly above text
	end, level     int // of the last
}

// add counts the one in b[start:end].
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

// comments reports whether they look like comments, among so many headings: many
// stand directly below another of the same level, or all are of the first level
// and directly above what they speak of.
func (a *atx) comments(all int) bool {
	return a.stacked*4 > all || all > 3 && a.first == all && a.above*3 > all*2
}

// commented reports, without reading a text as Markdown, that it has no headings
// but what looks like comments. That is decided where nothing hides a line.
func (s lineStarts) commented() bool {
	return !s.fence && !s.other && s.atx.comments(s.atx.all)
}

// begun are the bytes that lines are looked at for.
var begun = [256]bool{'{': true, '[': true, '`': true, '~': true, '#': true, '=': true, '-': true, '<': true, 'd': true, 'I': true, 'c': true, 'F': true, '.': true}

// lines is how the lines of the text begin.
func (s *survey) lines() lineStarts {
	if !s.read {
		s.read = true
		s.starts = readStarts(s.b)
	}
	return s.starts
}

func readStarts(b []byte) (s lineStarts) {
	for at := Start(b); at < len(b); at = lines.End(b, at) {
		start := at
		s.all++
		for b[at] == ' ' || b[at] == '\t' || b[at] == '\r' {
			if at++; at == len(b) {
				return s
			}
		}
		if begun[b[at]] {
			s.note(b, start, at)
		}
	}
	return s
}

// note looks at the line that begins at start, and its text at an offset.
func (s *lineStarts) note(b []byte, start, at int) {
	switch c := b[at]; c {
	case '{', '[':
		s.value = s.value || opensValue(b, at) && goesOn(b, at)
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
		n := at
		for n < len(b) && b[n] == c {
			n++
		}
		if n-at <= 6 && (n == len(b) || white(b[n])) && outside(b[start:at]) {
			s.title = true
			s.other = s.other || at > start || n < len(b) && b[n] == '\r' // it may be in a list, or no line end
			s.atx.add(b, start, lines.End(b, n-1), n-at)
		}
	case '<':
		s.other = true
	default:
		if start == at && c == '-' {
			s.mark = s.mark || yaml.IsMark(b[at:])
			s.change = s.change || diff.Begins(b[at:])
		}
		n := at
		for n < len(b) && b[n] == c {
			n++
		}
		for n < len(b) && b[n] != '\n' && white(b[n]) {
			n++
		}
		if (n == len(b) || b[n] == '\n') && outside(b[start:at]) {
			s.title, s.other = true, true
		}
	}
}

func white(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// outside reports an indentation that text outside lists may have and still begin
// a block.
func outside(indent []byte) bool {
	return len(indent) < 4 && bytes.IndexByte(indent, '\t') < 0
}

// opensValue reports whether the bracket at an offset may begin a JSON array or
// object. A block of code is refused here.
func opensValue(b []byte, at int) bool {
	next := json.Space(b, at+1)
	if next == len(b) {
		return false
	}
	c := b[next]
	if b[at] == '{' {
		return c == '"' || c == '}'
	}
	return bytes.IndexByte([]byte(`"{[]-tfn0123456789`), c) >= 0
}

// goesOn reports whether a value that opensValue finds goes on behind the first that it
// holds, as far as a look says: a literal of a composite type does not.
func goesOn(b []byte, at int) bool {
	const look = 256
	open, next := b[at], json.Space(b, at+1)
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
		for next < len(b) && (word(b[next]) || b[next] == '-' || b[next] == '+' || b[next] == '.') {
			next++
		}
	}
	next = json.Space(b, next)
	return next == len(b) || b[next] == ':' && open == '{' || (b[next] == ',' || b[next] == ']') && open == '['
}

// markdown is the text read as Markdown.
func (s *survey) markdown() *markdown.Doc {
	if s.doc == nil {
		s.doc = markdown.Scan(s.b)
	}
	return s.doc
}

// census is that of the text.
func (s *survey) census() census {
	if s.counts == nil {
		s.counts = &census{}
		s.counts.count(s.b, s.blocks(), 1)
	}
	return *s.counts
}

// prose reports whether the census says so. If nobody has asked for that, it is taken
// as far as it takes to say no: of a long text a few stretches first, which tell where
// most lines are no sentences.
func (s *survey) prose() bool {
	if s.counts != nil {
		return s.counts.prose()
	}
	if len(s.b) > 2*censusWhole {
		var c census
		if c.count(s.b, s.blocks(), 4); c.sentence*2 < c.all() {
			return false
		}
	}
	c := census{hurry: true, linesLeft: s.lines().all}
	c.count(s.b, s.blocks(), 1)
	return c.prose()
}

// places reports whether most lines begin with the place they are from.
func (s *survey) places() bool {
	if !s.asked {
		s.asked, s.placed = true, places(s.b)
	}
	return s.placed
}

// blocks is the text read as Markdown as far as it has blocks that are not
// counted: fences and front matter.
func (s *survey) blocks() *markdown.Doc {
	text := s.b[Start(s.b):]
	if s.doc == nil && !s.lines().fence && !bytes.HasPrefix(text, []byte("---")) && !bytes.HasPrefix(text, []byte("+++")) {
		return &markdown.Doc{}
	}
	return s.markdown()
}
