package syntax

import "bytes"

// Classes of bytes.
const (
	space = 1 << iota
	nameStart
	nameByte
)

// class holds the classes of each byte. Names are not checked further: any byte that
// is not ASCII may be part of one.
var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			t[c] = space
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80:
			t[c] = nameStart | nameByte
		case c >= '0' && c <= '9' || c == '-' || c == '.':
			t[c] = nameByte
		}
	}
	return t
}()

// IsSpace reports whether c is white space.
func IsSpace(c byte) bool { return class[c]&space != 0 }

// IsNameStart reports whether a name can begin with c.
func IsNameStart(c byte) bool { return class[c]&nameStart != 0 }

// NameEnd returns the end of the name at b[at].
func NameEnd(b []byte, at int) int {
	for at < len(b) && class[b[at]]&nameByte != 0 {
		at++
	}
	return at
}

// TagName returns the name of the tag at b[at].
func TagName(b []byte, at int) []byte { return b[at+1 : NameEnd(b, at+1)] }

// TagEnd returns the end of a start tag, -1 if it does not end. b[at] follows its name.
// empty reports whether the element has no end tag.
func TagEnd(b []byte, at int) (end int, empty bool) {
	a := AttributesAfter(b, at)
	for a.Next() {
	}
	switch at = a.At; {
	case at < len(b) && b[at] == '>':
		return at + 1, false
	case at+1 < len(b) && b[at] == '/' && b[at+1] == '>':
		return at + 2, true
	}
	return -1, false
}

// Attributes iterates over the attributes of a start tag:
//
//	for a := AttributesAt(b, start); a.Next(); {
type Attributes struct {
	Name, Value []byte
	At          int // end of the last attribute

	b []byte
}

// AttributesAt returns the attributes of the start tag at b[at].
func AttributesAt(b []byte, at int) Attributes { return AttributesAfter(b, NameEnd(b, at+1)) }

// AttributesAfter returns the attributes of a start tag. b[at] follows its name.
func AttributesAfter(b []byte, at int) Attributes { return Attributes{b: b, At: at} }

// Next reads white space and an attribute. It returns false after the last one; then
// At is the end of the tag, without its bracket, if the tag is well-formed.
func (a *Attributes) Next() bool {
	b := a.b
	at := SkipSpace(b, a.At)
	if at == a.At || at == len(b) {
		return false
	}
	if class[b[at]]&nameStart == 0 {
		if b[at] == '>' || b[at] == '/' {
			a.At = at
		}
		return false
	}
	start := at
	end := NameEnd(b, at+1)
	at = end
	if at < len(b) && b[at] != '=' {
		at = SkipSpace(b, at)
	}
	if at == len(b) || b[at] != '=' {
		return false
	}
	if at = SkipSpace(b, at+1); at == len(b) || b[at] != '"' && b[at] != '\'' {
		return false
	}
	stop := Find(b, at+1, b[at], '<')
	if stop == len(b) || b[stop] == '<' {
		return false
	}
	a.Name, a.Value, a.At = b[start:end], b[at+1:stop], stop+1
	return true
}

// IsNamespace reports whether an attribute declares a namespace.
func IsNamespace(name []byte) bool { return len(name) >= 5 && string(name[:5]) == "xmlns" }

// LocalName returns a name without its prefix.
func LocalName(name []byte) []byte {
	at := len(name)
	for at > 0 && name[at-1] != ':' {
		at--
	}
	return name[at:]
}

// IsInformative reports whether an attribute describes its element: it is neither a
// namespace nor the location of a schema.
func IsInformative(name []byte) bool {
	return !IsNamespace(name) && string(LocalName(name)) != "schemaLocation"
}

// MarkEnd returns the offset after the next mark, -1 if there is none.
func MarkEnd(b []byte, at int, mark string) int {
	if n := bytes.Index(b[at:], []byte(mark)); n >= 0 {
		return at + n + len(mark)
	}
	return -1
}

const doctype = "<!doctype"

// doctypeEnd returns the end of the document type at b[at], -1 if there is none. Its
// brackets contain declarations, comments and processing instructions.
func doctypeEnd(b []byte, at int) int {
	start := at + len(doctype)
	if start >= len(b) || !bytes.EqualFold(b[at:start], []byte(doctype)) || class[b[start]]&space == 0 {
		return -1
	}
	open := 1 // number of open < and [
	for i := start; i >= 0 && i < len(b); {
		c := b[i]
		switch {
		case c == '"' || c == '\'':
			i = MarkEnd(b, i+1, string(c))
			continue
		case bytes.HasPrefix(b[i:], []byte("<!--")):
			i = MarkEnd(b, i+4, "-->")
			continue
		case bytes.HasPrefix(b[i:], []byte("<?")):
			i = MarkEnd(b, i+2, "?>")
			continue
		case c == '<' || c == '[':
			open++
		case c == '>' || c == ']':
			open--
		}
		if i++; open == 0 {
			if c == '>' {
				return i
			}
			return -1
		}
	}
	return -1
}
