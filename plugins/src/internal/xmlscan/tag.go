package xmlscan

import "bytes"

// What bytes may be part of.
const (
	space = 1 << iota
	nameStart
	nameByte
)

// class says what each byte may be part of. Names are not checked further: all
// that is not ASCII may stand in one.
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

// endOfTag is the offset behind the start tag whose name ends before b[at], -1 if
// it does not end. An empty one is an element without an end tag.
func endOfTag(b []byte, at int) (end int, empty bool) {
	a := attributes{b: b, at: at}
	for a.next() {
	}
	switch at = a.at; {
	case at < len(b) && b[at] == '>':
		return at + 1, false
	case at+1 < len(b) && b[at] == '/' && b[at+1] == '>':
		return at + 2, true
	}
	return -1, false
}

func nameEnd(b []byte, at int) int {
	for at < len(b) && class[b[at]]&nameByte != 0 {
		at++
	}
	return at
}

// tagName is the name of the tag at b[at].
func tagName(b []byte, at int) []byte { return b[at+1 : nameEnd(b, at+1)] }

// attributes are those of a start tag, one after the other:
//
//	for a := attributesAt(b, start); a.next(); {
type attributes struct {
	b           []byte
	at          int // behind the last one
	name, value []byte
}

// attributesAt are those of the start tag at b[at].
func attributesAt(b []byte, at int) attributes {
	return attributes{b: b, at: nameEnd(b, at+1)}
}

// next reads white space and an attribute behind it; false: there is none, and
// at is where the tag ends if it is well-formed.
func (a *attributes) next() bool {
	b := a.b
	at := skip(b, a.at)
	if at == a.at || at == len(b) {
		return false
	}
	if class[b[at]]&nameStart == 0 {
		if b[at] == '>' || b[at] == '/' {
			a.at = at
		}
		return false
	}
	start := at
	end := nameEnd(b, at+1)
	at = end
	if at < len(b) && b[at] != '=' {
		at = skip(b, at)
	}
	if at == len(b) || b[at] != '=' {
		return false
	}
	if at = skip(b, at+1); at == len(b) || b[at] != '"' && b[at] != '\'' {
		return false
	}
	stop := Find(b, at+1, b[at], '<')
	if stop == len(b) || b[stop] == '<' {
		return false
	}
	a.name, a.value, a.at = b[start:end], b[at+1:stop], stop+1
	return true
}

const doctype = "<!doctype"

// doctypeEnd is the offset behind the document type at b[at], -1 if it is none.
// In its brackets stand declarations, comments and processing instructions.
func doctypeEnd(b []byte, at int) int {
	start := at + len(doctype)
	if start >= len(b) || !bytes.EqualFold(b[at:start], []byte(doctype)) || class[b[start]]&space == 0 {
		return -1
	}
	open := 1 // of < and [
	for i := start; i >= 0 && i < len(b); {
		c := b[i]
		switch {
		case c == '"' || c == '\'':
			i = after(b, i+1, string(c))
			continue
		case bytes.HasPrefix(b[i:], []byte("<!--")):
			i = after(b, i+4, "-->")
			continue
		case bytes.HasPrefix(b[i:], []byte("<?")):
			i = after(b, i+2, "?>")
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
