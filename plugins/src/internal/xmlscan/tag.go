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

// tag is a start tag.
type tag struct {
	nameEnd, end int
	empty        bool // it is an element without an end tag
}

// readTag reads the start tag at b[at], whose name has been seen to begin.
func readTag(b []byte, at int) (t tag, ok bool) {
	t.nameEnd = nameEnd(b, at+1)
	for i := t.nameEnd; i < len(b); {
		switch b[i] {
		case '>':
			t.end = i + 1
			return t, true
		case '/':
			t.end, t.empty = i+2, true
			return t, i+1 < len(b) && b[i+1] == '>'
		}
		a, ok := nextAttribute(b, i)
		if !ok {
			return t, false
		}
		i = a.next
	}
	return t, false
}

func nameEnd(b []byte, at int) int {
	for at < len(b) && class[b[at]]&nameByte != 0 {
		at++
	}
	return at
}

// tagName is the name of the tag at b[at].
func tagName(b []byte, at int) []byte { return b[at+1 : nameEnd(b, at+1)] }

// attribute of a start tag. One without a name is the white space before the end
// of the tag.
type attribute struct {
	name, value []byte
	next        int // offset behind it
}

// nextAttribute reads white space and what follows it in a start tag.
func nextAttribute(b []byte, at int) (a attribute, ok bool) {
	start := skip(b, at)
	if start == at || start == len(b) {
		return a, false
	}
	if b[start] == '>' || b[start] == '/' {
		return attribute{next: start}, true
	}
	end := nameEnd(b, start)
	if class[b[start]]&nameStart == 0 {
		return a, false
	}
	at = skip(b, end)
	if at == len(b) || b[at] != '=' {
		return a, false
	}
	at = skip(b, at+1)
	if at == len(b) || b[at] != '"' && b[at] != '\'' {
		return a, false
	}
	n := bytes.IndexByte(b[at+1:], b[at])
	if n < 0 {
		return a, false
	}
	a = attribute{b[start:end], b[at+1 : at+1+n], at + n + 2}
	return a, bytes.IndexByte(a.value, '<') < 0
}

func skip(b []byte, at int) int {
	for at < len(b) && class[b[at]]&space != 0 {
		at++
	}
	return at
}

// attributes yields those of the start tag at b[at], which has been read before.
func attributes(b []byte, at int, yield func(a attribute) bool) {
	for at = nameEnd(b, at+1); at < len(b); {
		a, ok := nextAttribute(b, at)
		if !ok || len(a.name) == 0 || !yield(a) {
			return
		}
		at = a.next
	}
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
