package mdscan

import "bytes"

// html is the end of an HTML block (4.6): a text, the end of a raw tag, or a blank
// line. The zero value is no block.
type html struct {
	until string
	raw   bool
	blank bool
}

// isRaw reports the tags of kind 1, which may hold blank lines. The end of any of
// them ends what another has begun.
func isRaw(name []byte) bool {
	for _, raw := range [...]string{"pre", "script", "style", "textarea"} {
		if len(name) == len(raw) && bytes.EqualFold(name, []byte(raw)) {
			return true
		}
	}
	return false
}

// openHTML reads the start of an HTML block. Kind 7, any whole tag alone on its
// line, cannot interrupt a paragraph.
func openHTML(t []byte, para bool) html {
	if len(t) < 2 || t[0] != '<' {
		return html{}
	}
	for _, mark := range [...][2]string{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}} {
		if bytes.HasPrefix(t, []byte(mark[0])) {
			return html{until: mark[1]}
		}
	}
	if t[1] == '!' && len(t) > 2 && letter(t[2]) {
		return html{until: ">"}
	}
	name, rest := tagName(t)
	if t[1] != '/' && isRaw(name) && (len(rest) == 0 || rest[0] == '>' || rest[0] == ' ' || rest[0] == '\t') {
		return html{raw: true}
	}
	if isBlockTag(name) && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '>' || bytes.HasPrefix(rest, []byte("/>"))) {
		return html{blank: true}
	}
	if !para && len(name) > 0 && wholeTag(t) {
		return html{blank: true}
	}
	return html{}
}

func (h html) open() bool { return h.blank || h.raw || h.until != "" }

// closes reports whether the text of a line ends a block that does not end at a
// blank line.
func (h html) closes(t []byte) bool {
	if !h.raw {
		return bytes.Contains(t, []byte(h.until))
	}
	for {
		i := bytes.Index(t, []byte("</"))
		if i < 0 {
			return false
		}
		name, rest := tagName(t[i:])
		if isRaw(name) && len(rest) > 0 && rest[0] == '>' {
			return true
		}
		t = t[i+2:]
	}
}

// tagName returns the name of the tag that begins t, and what follows it.
func tagName(t []byte) (name, rest []byte) {
	t = bytes.TrimPrefix(t[1:], []byte("/"))
	n := 0
	for n < len(t) && (letter(t[n]) || n > 0 && (t[n]-'0' <= 9 || t[n] == '-')) {
		n++
	}
	return t[:n], t[n:]
}

// wholeTag reports whether t is one opening or closing tag and nothing else.
func wholeTag(t []byte) bool {
	_, rest := tagName(t)
	if t[1] == '/' {
		rest = bytes.TrimLeft(rest, " \t")
		return len(rest) > 0 && rest[0] == '>' && onlyBlanks(rest[1:])
	}
	for {
		trimmed := bytes.TrimLeft(rest, " \t")
		trimmed, slash := bytes.CutPrefix(trimmed, []byte("/"))
		if len(trimmed) > 0 && trimmed[0] == '>' {
			return onlyBlanks(trimmed[1:])
		}
		if slash || len(trimmed) == len(rest) {
			return false
		}
		if rest = attribute(trimmed); rest == nil {
			return false
		}
	}
}

// attribute takes one attribute off the front of t; nil: there is none.
func attribute(t []byte) []byte {
	n := 0
	for n < len(t) && (letter(t[n]) || t[n] == '_' || t[n] == ':' || n > 0 && (t[n] >= '0' && t[n] <= '9' || t[n] == '.' || t[n] == '-')) {
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

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isBlockTag reports the tags of kind 6: the block ends at a blank line.
func isBlockTag(name []byte) bool {
	var low [10]byte
	if len(name) > len(low) {
		return false
	}
	for i, c := range name {
		low[i] = c | 0x20 // letters and digits stay apart
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
