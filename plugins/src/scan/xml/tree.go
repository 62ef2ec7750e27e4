package xml

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// tree is a syntax.Tree with functions to walk it:
//
//	for j := t.first(i); t.contains(i, j); j = t.next(j) {
type tree struct{ syntax.Tree }

func (t *tree) isElement(i int) bool { return t.Forms[i].IsElement() }

// tag returns the name of element i.
func (t *tree) tag(i int) []byte {
	if n := t.Forms[i].Tag(); n > 0 {
		tag := &t.Tags[n]
		return t.Text[tag.Start:tag.End]
	}
	return syntax.TagName(t.Text, int(t.Parts[i].Start))
}

// hasSameTag reports whether two elements have the same tag.
func (t *tree) hasSameTag(i, j int) bool {
	m, n := t.Forms[i].Tag(), t.Forms[j].Tag()
	if m > 0 && n > 0 {
		return m == n
	}
	return bytes.Equal(t.tag(i), t.tag(j))
}

// first returns the position of the first part inside part i, after its groups. See
// contains for whether there is one.
func (t *tree) first(i int) int {
	for i++; i < len(t.Parts) && t.Parts[i].Kind == part.Group; i++ {
	}
	return i
}

// next returns the position after part i and its content.
func (t *tree) next(i int) int {
	end := t.Parts[i].End
	for i++; i < len(t.Parts) && t.Parts[i].Start < end; i++ { // groups start at 0
	}
	return i
}

// contains reports whether part j exists and is inside part i, which precedes it.
func (t *tree) contains(i, j int) bool {
	return j < len(t.Parts) && t.Parts[j].Start < t.Parts[i].End
}

// parent returns the element that contains part i, -1 if there is none.
func (t *tree) parent(i int) int {
	up := int(t.Parts[i].Parent)
	for up >= 0 && t.Parts[up].Kind == part.Group {
		up = int(t.Parts[up].Parent)
	}
	return up
}

// mainElement returns the element with many children that the index begins with: the
// root or its only descendant. It returns -1 if there is none.
func (t *tree) mainElement() int {
	at := 0
	for at < len(t.Parts) && !t.isElement(at) { // comments before the root
		at++
	}
	for at < len(t.Parts) && !t.Forms[at].IsWide() {
		only := len(t.Parts)
		for j := t.first(at); t.contains(at, j); j = t.next(j) {
			if !t.isElement(j) {
				continue
			}
			if only < len(t.Parts) {
				return -1
			}
			only = j
		}
		at = only
	}
	if at == len(t.Parts) {
		return -1
	}
	return at
}

// maxValue is the size in bytes of the longest value that may name an element.
const maxValue = 60

// isValue reports whether a value is short and simple enough for an id.
func isValue(v []byte) bool {
	if len(v) > maxValue {
		return false
	}
	for _, c := range v {
		if c < ' ' || c == '<' {
			return false
		}
	}
	return len(v) > 0
}

// attributes returns the attributes of element i.
func (t *tree) attributes(i int) syntax.Attributes {
	return syntax.AttributesAt(t.Text, int(t.Parts[i].Start))
}

// attribute returns the value of an attribute of element i, nil unless isValue.
func (t *tree) attribute(i int, name []byte) []byte {
	for a := t.attributes(i); a.Next(); {
		if bytes.Equal(a.Name, name) {
			if isValue(a.Value) {
				return a.Value
			}
			return nil
		}
	}
	return nil
}

// value returns the text of an element without other content, nil unless isValue.
// tagSize is the size of the name of its tag.
func (t *tree) value(i, tagSize int) []byte {
	if t.Parts[i].Size() > 4*maxValue || !t.isElement(i) {
		return nil
	}
	text := t.text(i, tagSize)
	for len(text) > 0 && syntax.IsSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	if !isValue(text) {
		return nil
	}
	return text
}

// text returns the text of an element without other content, or with only one CDATA.
func (t *tree) text(i, tagSize int) []byte {
	p := t.Parts[i]
	text := t.Text[p.Start:p.End]
	switch {
	case !t.contains(i, i+1):
		text = innerText(text, tagSize)
	case t.Forms[i+1] == syntax.CDATA && !t.contains(i, i+2):
		text = t.Text[t.Parts[i+1].Start+int32(len("<![CDATA[")) : t.Parts[i+1].End-int32(len("]]>"))]
	default:
		return nil
	}
	return text[syntax.SkipSpace(text, 0):]
}

// innerText returns the text between the tags of an element. n is the size of the name
// of its tag.
func innerText(b []byte, n int) []byte {
	start, empty := n+2, false
	if n+1 == len(b) || b[n+1] != '>' {
		if start, empty = syntax.TagEnd(b, n+1); start < 0 || empty {
			return nil
		}
	}
	if end := len(b) - n - len("</>"); end >= start && b[end] == '<' && b[end+1] == '/' {
		return b[start:end]
	}
	if end := bytes.LastIndex(b, []byte("</")); end >= start { // white space after the name
		return b[start:end]
	}
	return b[start:]
}
