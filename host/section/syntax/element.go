package syntax

import "bytes"

// markupEnd returns the end of the tag, instruction or document type at b[0], or
// -1 if there is none. Comments, CDATA and other text in angle brackets are
// content.
func markupEnd(b []byte) int {
	const doctype = "<!doctype"
	switch {
	case len(b) < len("<a>") || b[0] != '<':
	case b[1] == '?':
		if end := bytes.IndexByte(b, '>'); isNameStart(b[2]) && end > 0 && b[end-1] == '?' {
			return end + 1
		}
	case isNameStart(b[1]), b[1] == '/' && isNameStart(b[2]), len(b) > len(doctype) && bytes.EqualFold(b[:len(doctype)], []byte(doctype)):
		return tagEnd(b)
	}
	return -1
}

// isNameStart reports whether the name of a tag may begin with c.
func isNameStart(c byte) bool { return c|0x20-'a' < 26 || c == '_' || c == ':' || c >= 0x80 }

// tagEnd returns the end of the tag at b[0], or -1. It skips quoted values and the
// bracketed part of a document type.
func tagEnd(b []byte) int {
	depth := 0
	for i := 1; i < len(b); i++ {
		switch c := b[i]; c {
		case '"', '\'':
			n := bytes.IndexByte(b[i+1:], c)
			if n < 0 {
				return -1
			}
			i += n + 1
		case '[':
			depth++
		case ']':
			depth--
		case '<':
			if depth <= 0 {
				return -1
			}
		case '>':
			if depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

// IsTag reports whether a tag has this name, with or without its prefix.
func (l Language) IsTag(tag, name string) bool { return isTag([]byte(tag), []byte(name)) }

func isTag(tag, name []byte) bool {
	return bytes.Equal(tag, name) || bytes.Equal(tag[bytes.LastIndexByte(tag, ':')+1:], name)
}

// Tag returns the name in the start tag at the beginning of text, or "".
func (l Language) Tag(text []byte) string {
	if !l.HasElements() || len(text) < 2 || text[0] != '<' || !isNameStart(text[1]) {
		return ""
	}
	return string(tagName(text))
}

// tagName returns the name in the start tag at text[0].
func tagName(text []byte) []byte {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n', '/', '>':
			return text[1:i]
		}
	}
	return text[1:]
}

// HasTag reports whether text begins with an element with this tag.
func (l Language) HasTag(text []byte, name string) bool {
	return len(text) > 1 && text[0] == '<' && isNameStart(text[1]) && isTag(tagName(text), []byte(name))
}

// Children returns the spans of the elements with this tag that are directly
// inside the first element of text, at most limit.
func (l Language) Children(text []byte, tag string, limit int) (found [][2]int) {
	name := []byte(tag)
	elements(text, func(tag []byte, depth, start, end int) bool {
		if depth == 1 && isTag(tag, name) {
			found = append(found, [2]int{start, end})
		}
		return len(found) < limit
	})
	return found
}

// descendants returns the spans of the elements with this tag inside the first
// element of text, at most limit. A span inside another one is left out.
func descendants(text []byte, tag string, limit int) (found [][2]int) {
	name := []byte(tag)
	if !bytes.Contains(text, name) {
		return nil
	}
	elements(text, func(tag []byte, depth, start, end int) bool {
		if depth == 0 || !isTag(tag, name) {
			return true
		}
		for n := len(found); n > 0 && found[n-1][0] > start; n-- { // an inner element ends before the outer one
			found = found[:n-1]
		}
		found = append(found, [2]int{start, end})
		return len(found) < limit
	})
	return found
}

// elements visits the first element of text and all elements in it, each at its
// end, while visit returns true. depth is the number of enclosing elements. The
// walk stops where the text is not well-formed.
func elements(text []byte, visit func(tag []byte, depth, start, end int) bool) {
	var open []int // starts of the elements that have not ended
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '<')
		if next < 0 {
			return
		}
		at += next
		length := skipMarkup(text[at:])
		if length < 0 {
			return
		}
		markup, start := text[at:at+length], at
		at += length
		switch last := len(open) - 1; {
		case markup[1] == '!' || markup[1] == '?':
			continue
		case markup[1] != '/' && markup[length-2] != '/':
			open = append(open, start)
			continue
		case markup[1] == '/' && (last < 0 || !bytes.Equal(tagName(text[open[last]:]), bytes.TrimRight(markup[2:length-1], blanks))):
			return
		case markup[1] == '/':
			start, open = open[last], open[:last]
		}
		if !visit(tagName(text[start:at]), len(open), start, at) || len(open) == 0 {
			return
		}
	}
}

// skipMarkup returns the length of the markup at the beginning of text, comments
// and CDATA included, or -1 if there is none.
func skipMarkup(text []byte) int {
	for _, m := range [...]struct{ opens, closes string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"</", ">"}} {
		if !bytes.HasPrefix(text, []byte(m.opens)) {
			continue
		}
		if i := bytes.Index(text[len(m.opens):], []byte(m.closes)); i >= 0 {
			return len(m.opens) + i + len(m.closes)
		}
		return -1
	}
	return markupEnd(text)
}
