package markdown

import "bytes"

// htmlBlock is the end condition of an HTML block (4.6): a text, the end tag of a raw
// element, or a blank line. The zero value means no block.
type htmlBlock struct {
	until      string
	raw        bool
	untilBlank bool
}

// isRaw reports whether a tag is of kind 1: its block may contain blank lines. The end tag
// of any of them ends a block that another has begun.
func isRaw(name []byte) bool {
	for _, raw := range [...]string{"pre", "script", "style", "textarea"} {
		if len(name) == len(raw) && bytes.EqualFold(name, []byte(raw)) {
			return true
		}
	}
	return false
}

// parseHTMLStart parses the start of an HTML block. A block of kind 7, any complete tag
// alone on its line, cannot interrupt a paragraph.
func parseHTMLStart(t []byte, para bool) htmlBlock {
	if len(t) < 2 || t[0] != '<' {
		return htmlBlock{}
	}
	if mark := endMark(t); mark != "" {
		return htmlBlock{until: mark}
	}
	name, rest := parseTagName(t)
	switch {
	case t[1] != '/' && isRaw(name) && isNameEnd(rest):
		return htmlBlock{raw: true}
	case isBlockTag(name) && (isNameEnd(rest) || bytes.HasPrefix(rest, []byte("/>"))):
		return htmlBlock{untilBlank: true}
	case !para && len(name) > 0 && isWholeTag(t):
		return htmlBlock{untilBlank: true}
	}
	return htmlBlock{}
}

// endMark returns the end of the comment, instruction, CDATA or declaration that t begins,
// "" if there is none.
func endMark(t []byte) string {
	for _, mark := range [...][2]string{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}} {
		if bytes.HasPrefix(t, []byte(mark[0])) {
			return mark[1]
		}
	}
	if t[1] == '!' && len(t) > 2 && isLetter(t[2]) {
		return ">"
	}
	return ""
}

// isNameEnd reports whether the name of a tag ends before rest.
func isNameEnd(rest []byte) bool {
	return len(rest) == 0 || rest[0] == '>' || rest[0] == ' ' || rest[0] == '\t'
}

func (h htmlBlock) isOpen() bool { return h.untilBlank || h.raw || h.until != "" }

// isClosedBy reports whether the text of a line ends the block. The block must not be one
// that ends at a blank line.
func (h htmlBlock) isClosedBy(t []byte) bool {
	if !h.raw {
		return bytes.Contains(t, []byte(h.until))
	}
	for {
		i := bytes.Index(t, []byte("</"))
		if i < 0 {
			return false
		}
		name, rest := parseTagName(t[i:])
		if isRaw(name) && len(rest) > 0 && rest[0] == '>' {
			return true
		}
		t = t[i+2:]
	}
}

// parseTagName returns the name of the tag at the start of t, and the text after it.
func parseTagName(t []byte) (name, rest []byte) {
	t = bytes.TrimPrefix(t[1:], []byte("/"))
	n := 0
	for n < len(t) && (isLetter(t[n]) || n > 0 && (t[n]-'0' <= 9 || t[n] == '-')) {
		n++
	}
	return t[:n], t[n:]
}

// isWholeTag reports whether t is exactly one start or end tag.
func isWholeTag(t []byte) bool {
	_, rest := parseTagName(t)
	if t[1] == '/' {
		rest = bytes.TrimLeft(rest, " \t")
		return len(rest) > 0 && rest[0] == '>' && isBlank(rest[1:])
	}
	for {
		trimmed := bytes.TrimLeft(rest, " \t")
		trimmed, slash := bytes.CutPrefix(trimmed, []byte("/"))
		if len(trimmed) > 0 && trimmed[0] == '>' {
			return isBlank(trimmed[1:])
		}
		if slash || len(trimmed) == len(rest) {
			return false
		}
		if rest = cutAttribute(trimmed); rest == nil {
			return false
		}
	}
}

// cutAttribute removes an attribute from the start of t. It returns nil if there is none.
func cutAttribute(t []byte) []byte {
	n := 0
	for n < len(t) && isAttributeByte(t[n], n == 0) {
		n++
	}
	if n == 0 {
		return nil
	}
	value := bytes.TrimLeft(t[n:], " \t")
	if len(value) == 0 || value[0] != '=' {
		return t[n:]
	}
	value = bytes.TrimLeft(value[1:], " \t")
	if len(value) == 0 {
		return nil
	}
	if q := value[0]; q == '"' || q == '\'' {
		if end := bytes.IndexByte(value[1:], q); end >= 0 {
			return value[end+2:]
		}
		return nil
	}
	end := bytes.IndexAny(value, " \t\"'=<>`")
	if end <= 0 {
		return nil
	}
	return value[end:]
}

// isAttributeByte reports whether c may be part of the name of an attribute.
func isAttributeByte(c byte, first bool) bool {
	return isLetter(c) || c == '_' || c == ':' || !first && (c-'0' <= 9 || c == '.' || c == '-')
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// addHTMLHeading adds the heading that begins a line and ends it or one of the next lines,
// such as <h1 align="center">Title</h1>. READMEs use it to center a heading.
func (s *scanner) addHTMLHeading(l *line) {
	t := l.text
	if len(t) < len("<h1>") || t[0] != '<' || t[1]|0x20 != 'h' || t[2]-'1' > 5 || !isNameEnd(t[3:]) {
		return
	}
	block, end := s.findHeadingEnd(l, t[2])
	from, to := bytes.IndexByte(block, '>')+1, len(block)-len("</h1>")
	if end == 0 || from > to {
		return
	}
	if text := longestText(block[from:to]); text.End > text.Start {
		at := int32(l.at + from)
		s.addHeading(Heading{Span{int32(l.start), int32(end)}, Span{at + text.Start, at + text.End}, int8(t[2] - '0'), false})
	}
}

// findHeadingEnd returns the text of a heading of the given level from its start tag on a
// line to its end tag, and the end of the line that the end tag ends. The end is 0 if there
// is none in this and the next lines, before a blank line.
func (s *scanner) findHeadingEnd(l *line, level byte) (block []byte, end int) {
	const maxLines = 4
	last := *l
	for n := 1; ; n++ {
		if t := trimRight(last.text); len(t) >= len("</h1>") && bytes.EqualFold(t[len(t)-len("</h1>"):], []byte{'<', '/', 'h', level, '>'}) {
			return s.b[l.at : last.at+len(t)], last.end
		}
		if n == maxLines || last.end == len(s.b) {
			return nil, 0
		}
		if last.read(s.b, last.end); last.isBlank() {
			return nil, 0
		}
	}
}

// longestText returns the span of the longest text between the tags of t, without
// surrounding blanks.
func longestText(t []byte) (longest Span) {
	for at := 0; at < len(t); {
		end := bytes.IndexByte(t[at:], '<')
		if end < 0 {
			end = len(t) - at
		}
		text := bytes.TrimSpace(t[at : at+end])
		if from := at + bytes.Index(t[at:at+end], text); len(text) > int(longest.End-longest.Start) {
			longest = Span{int32(from), int32(from + len(text))}
		}
		tag := bytes.IndexByte(t[at+end:], '>')
		if tag < 0 {
			break
		}
		at += end + tag + 1
	}
	return longest
}

// isBlockTag reports whether a tag is of kind 6: its block ends at a blank line.
func isBlockTag(name []byte) bool {
	var low [10]byte
	if len(name) > len(low) {
		return false
	}
	for i, c := range name {
		low[i] = c | 0x20 // letters become lower case, digits are unchanged
	}
	switch string(low[:len(name)]) {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
		"dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
		"frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
		"main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
		"summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul":
		return true
	}
	return false
}
