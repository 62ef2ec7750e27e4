package html

import "bytes"

// Element is an element of a text whose content may be of another type, such as a block of a
// single-file component. Offsets are in the text.
type Element struct {
	Start, Open  int // of its start tag; Open is after it
	Close, End   int // of its end tag; both are Open if it has none, and the size of the text if it does not end
	name, tagEnd int // ends of the name and of the start tag
}

// ReadElement reads the element that begins at b[at]. The content of an element that nests itself, such
// as template, ends with the end tag that balances its start tag; the content of any other with the
// next end tag of its name. ok reports whether a start tag begins at b[at] and ends.
func ReadElement(b []byte, at int) (e Element, ok bool) {
	if at+1 >= len(b) || b[at] != '<' || !isLetter(b[at+1]) {
		return Element{}, false
	}
	e.Start, e.name = at, nameEnd(b, at+1)
	e.tagEnd = tagEnd(b, e.name)
	if b[e.tagEnd-1] != '>' {
		return Element{}, false
	}
	e.Open = e.tagEnd
	if b[e.tagEnd-2] == '/' {
		e.Close, e.End = e.Open, e.Open
		return e, true
	}
	name := e.Name(b)
	if key(name) == keyTemplate {
		e.Close = balancedEnd(b, e.Open)
	} else {
		e.Close = endTag(b, e.Open, name)
	}
	if e.End = e.Close; e.End < len(b) {
		e.End = tagEnd(b, e.End)
	}
	return e, true
}

var keyTemplate = key([]byte("template"))

// balancedEnd returns the offset of the end tag of the template whose content begins at an offset.
func balancedEnd(b []byte, at int) int {
	for depth := 0; ; {
		n := bytes.IndexByte(b[at:], '<')
		if n < 0 || at+n+2 >= len(b) {
			return len(b)
		}
		at += n
		switch c := b[at+1]; {
		case c == '!':
			if at = declarationEnd(b, at); at < 0 {
				return len(b)
			}
		case isLetter(c):
			isTemplate := key(b[at+1:nameEnd(b, at+1)]) == keyTemplate
			at = tagEnd(b, nameEnd(b, at+1))
			if isTemplate && !bytes.HasSuffix(b[:at], []byte("/>")) {
				depth++
			}
		case c == '/' && key(b[at+2:nameEnd(b, at+2)]) == keyTemplate:
			if depth == 0 {
				return at
			}
			depth--
			at += 2
		default:
			at++
		}
	}
}

// Name returns the name of the element.
func (e Element) Name(b []byte) []byte { return b[e.Start+1 : e.name] }

// Attribute returns the value of an attribute. ok reports whether the element has it; its value may be
// empty.
func (e Element) Attribute(b []byte, want string) (value []byte, ok bool) {
	attributes(b, e.name, e.tagEnd, func(name, v span) bool {
		if bytes.EqualFold(name.of(b), []byte(want)) {
			value, ok = v.of(b), true
		}
		return !ok
	})
	return value, ok
}

// CommentEnd returns the offset after the comment that begins at b[at]: the size of b if it does not end,
// and at if none begins there.
func CommentEnd(b []byte, at int) int {
	if !bytes.HasPrefix(b[at:], []byte("<!--")) {
		return at
	}
	if end := declarationEnd(b, at); end >= 0 {
		return end
	}
	return len(b)
}

// TemplateName is the file name of the markup of a component. Scan accepts any text with a tag under this
// name, and makes parts of the elements that are components: their names have a capital letter or a dash.
const TemplateName = "template.component.html"

// isComponent reports whether a tag in a template has the name of a component.
func (s *scanner) isComponent(start, end int) bool {
	return s.components && (s.b[start]-'A' < 26 || bytes.IndexByte(s.b[start:end], '-') > 0)
}
