package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of an Outline.
const (
	maxSummaryWords = 20
	maxSummaryBytes = 200
	maxChapters     = 64
	maxChapterBytes = 120
)

// Outline is the description of a prompt in an Index.
type Outline struct {
	Summary  string   // one line of about 20 words
	Chapters []string // key topics, in the order of the text
}

// OutlineOf extracts an Outline from a Markdown text: the first sentence and the
// headings.
//
// Headings are ATX and setext headings (CommonMark 0.31, sections 4.2 and 4.3) outside
// fenced code. The summary of a text that consists only of headings is its first
// heading. A summary has at most 20 words and 200 bytes; a longer sentence is cut with
// "…". There are at most 64 chapters of 120 bytes.
func OutlineOf(text string) Outline {
	s := scanner{}
	for line := range strings.Lines(text) {
		s.scanLine(strings.TrimRight(line, "\r\n"))
	}
	s.endParagraph()
	o := Outline{Summary: firstSentence(s.first), Chapters: s.headings}
	if o.Summary == "" && len(o.Chapters) > 0 {
		o.Summary = firstSentence(o.Chapters[0])
	}
	return o
}

// scanner scans Markdown line by line.
type scanner struct {
	fence     string // fence of the open code block
	comment   bool   // in <!-- -->
	paragraph string // text of the open paragraph so far
	lines     int    // number of lines of the open paragraph
	first     string // the first paragraph of the text
	headings  []string
}

func (s *scanner) scanLine(line string) {
	text := strings.TrimSpace(line)
	if s.isPlain(text) {
		s.lines++
		return
	}
	switch {
	case s.fence != "":
		if isClosingFence(text, s.fence) {
			s.fence = ""
		}
	case s.comment || s.paragraph == "" && strings.HasPrefix(text, "<!--"):
		s.comment = !strings.Contains(text, "-->")
	case fenceOf(line) != "":
		s.endParagraph()
		s.fence = fenceOf(line)
	case text == "":
		s.endParagraph()
	case s.addATX(line), s.addSetext(line):
	case s.paragraph == "" && isRule(text):
	default:
		s.add(text)
	}
}

// isPlain reports whether a line only continues a paragraph after the first one. Most
// lines do, and they do not affect the outline.
func (s *scanner) isPlain(text string) bool {
	return s.first != "" && s.lines > 0 && s.fence == "" && text != "" && strings.IndexByte("#=-`~", text[0]) < 0
}

// add adds a line to the open paragraph. Of the first paragraph it keeps a bounded
// number of bytes, of others only the first line, which may be a setext heading.
func (s *scanner) add(text string) {
	s.lines++
	if s.paragraph == "" {
		text = trimMarker(text)
	}
	if s.first == "" && len(s.paragraph) < 4*maxSummaryBytes {
		s.paragraph = strings.TrimSpace(s.paragraph + " " + text)
	} else if s.paragraph == "" {
		s.paragraph = text
	}
}

func (s *scanner) endParagraph() {
	if s.first == "" {
		s.first = s.paragraph
	}
	s.paragraph, s.lines = "", 0
}

// addATX adds an ATX heading and reports whether the line is one.
func (s *scanner) addATX(line string) bool {
	if indent(line) > 3 {
		return false
	}
	text := strings.TrimSpace(line)
	level := len(text) - len(strings.TrimLeft(text, "#"))
	if level == 0 || level > 6 || len(text) > level && text[level] != ' ' && text[level] != '\t' {
		return false
	}
	s.endParagraph()
	text = strings.TrimSpace(text[level:])
	if open := strings.TrimRight(text, "#"); open == "" || strings.HasSuffix(open, " ") {
		text = strings.TrimSpace(open)
	}
	s.addHeading(text)
	return true
}

// addSetext adds a setext heading and reports whether the line is its underline.
func (s *scanner) addSetext(line string) bool {
	text := strings.TrimSpace(line)
	if s.lines != 1 || indent(line) > 3 || strings.Trim(text, "=") != "" && strings.Trim(text, "-") != "" {
		return false
	}
	title := s.paragraph
	s.paragraph, s.lines = "", 0
	s.addHeading(title)
	return true
}

func (s *scanner) addHeading(title string) {
	title = cut(toOneLine(title), maxChapterBytes)
	if title != "" && len(s.headings) < maxChapters {
		s.headings = append(s.headings, title)
	}
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// fenceOf returns the opening fence of a code block, or "".
func fenceOf(line string) string {
	text := strings.TrimSpace(line)
	for _, mark := range []string{"`", "~"} {
		n := len(text) - len(strings.TrimLeft(text, mark))
		if n >= 3 && indent(line) <= 3 && (mark == "~" || !strings.Contains(text[n:], mark)) {
			return text[:n]
		}
	}
	return ""
}

func isClosingFence(text, fence string) bool {
	return len(text) >= len(fence) && strings.Trim(text, fence[:1]) == ""
}

// isRule reports whether a line is a thematic break.
func isRule(text string) bool {
	if strings.IndexByte("-*_", text[0]) < 0 {
		return false
	}
	bare := strings.ReplaceAll(text, " ", "")
	return len(bare) >= 3 && (strings.Trim(bare, "-") == "" || strings.Trim(bare, "*") == "" || strings.Trim(bare, "_") == "")
}

// trimMarker removes the marker of a list item or a block quote.
func trimMarker(text string) string {
	text = strings.TrimLeft(text, "> ")
	for _, mark := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if rest := text[digits:]; digits > 0 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")) {
		return strings.TrimSpace(rest[2:])
	}
	return text
}

// firstSentence returns the first sentence of a text, on one line and within the limits of a
// summary.
func firstSentence(text string) string {
	text = toOneLine(text)
	words := 0
	for i, r := range text {
		next := text[i+utf8.RuneLen(r):]
		switch {
		case r == ' ':
			if words++; words == maxSummaryWords {
				return strings.TrimSuffix(cut(text[:i], maxSummaryBytes-len("…")), "…") + "…"
			}
		case r == '。', (r == '.' || r == '!' || r == '?') && isSentenceEnd(next):
			return cut(text[:i]+string(r), maxSummaryBytes)
		}
	}
	return cut(text, maxSummaryBytes)
}

// isSentenceEnd reports whether a sentence ends before next: the next sentence does not
// begin with a lower-case letter. This excludes abbreviations.
func isSentenceEnd(next string) bool {
	rest, ok := strings.CutPrefix(next, " ")
	if !ok {
		return next == ""
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLower(r)
}

// toOneLine replaces each sequence of blanks and control characters by one blank.
func toOneLine(text string) string {
	if isLine(text) {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError
	}), " ")
}

// isLine reports whether text is ASCII that toOneLine would not change, which is the usual
// case.
func isLine(text string) bool {
	before := byte(' ')
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return before != ' ' || text == ""
}

// cut shortens a text to limit bytes including "…", if possible at the end of a word.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = text[:limit-len("…")+1]
	for len(text) > 0 && !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	if at := strings.LastIndexByte(text, ' '); at > 0 {
		text = text[:at]
	} else {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text + "…"
}
