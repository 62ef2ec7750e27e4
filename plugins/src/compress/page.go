package compress

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/entity"
)

// gap is what separates the next text from the text before it.
type gap uint8

const (
	noGap gap = iota
	blank
	lineEnd
	blankLine
)

// Limits of the marks at the start of a line, so that they cannot outgrow the content.
const (
	maxIndent = 8
	maxQuotes = 4
)

// page writes words with their blanks, lines and paragraphs. White space is written only
// before the next word.
type page struct {
	out               []byte
	gap               gap
	quotes            int    // open quotes
	indent            int    // levels of lists
	marker            string // of the list item that the next word begins
	inHeading, inCell bool   // all text is on one line
	atStart           bool   // of a line: the next word may look like a mark of Markdown
}

// separate makes sure that at least this gap is before the next text.
func (p *page) separate(g gap) {
	if p.inHeading || p.inCell {
		g = min(g, blank)
	}
	p.gap = max(p.gap, g)
}

// item begins a list item.
func (p *page) item(marker string) {
	p.separate(lineEnd)
	p.marker = marker
}

// flush writes the gap, and the marks of a new line.
func (p *page) flush() {
	g := p.gap
	p.gap = noGap
	if len(p.out) == 0 {
		g = lineEnd
	}
	switch {
	case g == blank:
		if last := p.out[len(p.out)-1]; last != ' ' && last != '\n' {
			p.out = append(p.out, ' ')
		}
		return
	case g == noGap:
		return
	case len(p.out) > 0:
		p.out = append(p.out, '\n')
	}
	if g == blankLine && len(p.out) > 0 {
		p.out = append(bytes.TrimRight(p.appendQuotes(p.out), " "), '\n')
	}
	p.out = p.appendQuotes(p.out)
	indent := min(p.indent, maxIndent)
	if p.marker != "" {
		indent = max(indent-1, 0)
	}
	for range indent {
		p.out = append(p.out, "  "...)
	}
	p.out = append(p.out, p.marker...)
	p.marker, p.atStart = "", true
}

func (p *page) appendQuotes(dst []byte) []byte {
	for range min(p.quotes, maxQuotes) {
		dst = append(dst, "> "...)
	}
	return dst
}

// write writes a mark or a value as it is, after the gap.
func (p *page) write(text string) {
	p.flush()
	p.out = append(p.out, text...)
	p.atStart = false
}

// words writes text of HTML: references are decoded and white space becomes single blanks. Text
// that would be a mark of Markdown is escaped.
func (p *page) words(b []byte) {
	for at := 0; at < len(b); {
		switch c := b[at]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f':
			p.separate(blank)
			at++
		default:
			start := at
			for at++; at < len(b) && b[at] > ' '; at++ {
			}
			word := b[start:at]
			if bytes.IndexByte(word, '&') >= 0 {
				word = decode(nil, word)
			}
			p.flush()
			p.writeWord(word)
		}
	}
}

// writeWord writes a word of text after the gap.
func (p *page) writeWord(word []byte) {
	if p.atStart && isMark(word) || p.inCell && string(word) == "^" {
		if n := len(word) - 1; word[0]-'0' <= 9 { // 1\.
			p.out = append(p.out, word[:n]...)
			word = word[n:]
		}
		p.out = append(p.out, '\\')
	}
	if p.inCell {
		word = bytes.ReplaceAll(word, []byte("|"), []byte(`\|`))
	}
	p.out, p.atStart = append(p.out, word...), false
}

// isMark reports whether a word at the start of a line is a mark of Markdown: of a heading, a
// quote, a list, a table, code, or a line below a heading or between paragraphs.
func isMark(word []byte) bool {
	digits := len(word) - len(bytes.TrimLeft(word, "0123456789"))
	switch c := word[0]; {
	case c == '>' || c == '|' || bytes.HasPrefix(word, []byte("```")) || bytes.HasPrefix(word, []byte("~~~")):
		return true
	case digits > 0:
		return len(word) == digits+1 && (word[digits] == '.' || word[digits] == ')')
	case c == '#' || c == '=' || c == '-' || c == '+' || c == '*' || c == '_':
		return len(bytes.Trim(word, string(c))) == 0 && (c != '+' || len(word) == 1)
	}
	return false
}

// line writes words on a line of their own.
func (p *page) line(label string, text []byte) {
	p.separate(lineEnd)
	p.write(label)
	p.words(text)
	p.separate(lineEnd)
}

// fence writes code between marks at the start of lines, verbatim.
func (p *page) fence(info string, code []byte) {
	code = bytes.Trim(code, "\r\n")
	if len(bytes.TrimSpace(code)) == 0 {
		return
	}
	marks := bytes.Repeat([]byte("`"), max(3, longestRun(code, '`')+1))
	if p.marker != "" {
		p.flush()
	}
	if len(p.out) > 0 {
		p.out = append(p.out, '\n')
	}
	for _, text := range [][]byte{marks, []byte(info), []byte("\n"), code, []byte("\n"), marks} {
		p.out = append(p.out, text...)
	}
	p.gap = blankLine
}

// insert inserts a mark before text that was written.
func (p *page) insert(at int, mark string) {
	p.out = append(p.out, mark...)
	copy(p.out[at+len(mark):], p.out[at:])
	copy(p.out[at:], mark)
}

// finish returns the text.
func (p *page) finish() []byte {
	return append(bytes.TrimRight(p.out, " \n"), '\n')
}

// longestRun returns the length of the longest run of a byte.
func longestRun(b []byte, c byte) (longest int) {
	run := 0
	for _, x := range b {
		if x != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// decode appends text with its references decoded.
func decode(dst, b []byte) []byte {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '&')
		if n < 0 {
			return append(dst, b...)
		}
		r, size := entity.Decode(b[n:])
		dst = utf8.AppendRune(append(dst, b[:n]...), r)
		b = b[n+size:]
	}
	return dst
}

// list is an open list of HTML.
type list struct {
	isOrdered bool
	next      int
}

// marker returns the mark of the next item.
func (l *list) marker() string {
	if !l.isOrdered {
		return "- "
	}
	l.next++
	return strconv.Itoa(l.next-1) + ". "
}
