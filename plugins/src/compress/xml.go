package compress

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
	"github.com/mcpctl/mcpctl/plugins/src/scan/xml/syntax"
)

// compactXML returns XML that has the same elements, attributes and text without white space
// for layout, comments and namespace declarations that are in force already. A comment with a
// duty is kept. In elements that may contain text, and below xml:space="preserve", white space
// is unchanged. ok is false if b is not well-formed.
func compactXML(b []byte) (out []byte, ok bool) {
	textual, ok := findTextual(b)
	if !ok {
		return nil, false
	}
	w := xmlWriter{b: b, out: make([]byte, 0, len(b)), textual: textual, bound: make(map[string][][]byte), open: []xmlElement{{}}}
	for at := 0; at < len(b); {
		kind, end := syntax.NextPiece(b, at)
		w.write(kind, at, end)
		at = end
	}
	return append(w.out, '\n'), true
}

// findTextual returns the names of the elements that contain text of their own, somewhere in
// b. White space matters in all elements of these names: between two words in <b> too.
func findTextual(b []byte) (textual map[string]bool, ok bool) {
	textual = make(map[string]bool)
	var open [][]byte
	elements := 0
	for at := 0; at < len(b); {
		kind, end := syntax.NextPiece(b, at)
		if end < 0 {
			return nil, false
		}
		switch kind {
		case syntax.TextPiece, syntax.CDATAPiece:
			if len(open) == 0 {
				return nil, false
			}
			if name := open[len(open)-1]; !textual[string(name)] {
				textual[string(name)] = true
			}
		case syntax.EmptyPiece:
			elements++
		case syntax.StartPiece:
			elements++
			open = append(open, syntax.TagName(b, at))
		case syntax.EndPiece:
			name := syntax.TagName(b, at+1)
			if len(open) == 0 || !bytes.Equal(open[len(open)-1], name) || syntax.SkipSpace(b, at+2+len(name)) != end-1 {
				return nil, false
			}
			open = open[:len(open)-1]
		}
		at = end
	}
	return textual, len(open) == 0 && elements > 0
}

// xmlWriter writes the pieces of a text.
type xmlWriter struct {
	b, out  []byte
	textual map[string]bool
	open    []xmlElement        // the first is the document
	space   []byte              // white space before the next piece
	bound   map[string][][]byte // by name of a namespace declaration: the values, the last one is in force
	tagEnd  int                 // end of out if it is the end of a start tag
}

// xmlElement is an open element.
type xmlElement struct {
	keep, preserve bool     // its white space matters
	hasContent     bool     // it has more than white space so far
	declares       []string // names of the namespace declarations in its start tag
}

func (w *xmlWriter) write(kind syntax.PieceKind, at, end int) {
	text := w.b[at:end]
	top := &w.open[len(w.open)-1]
	switch kind {
	case syntax.SpacePiece:
		w.space = append(w.space, text...)
		return
	case syntax.CommentPiece:
		if duty.IsDuty(string(text)) {
			w.out = append(w.out, text...) // before the white space, which may be all of an element
		}
		return
	case syntax.EndPiece:
		w.endTag(top, at)
		return
	}
	w.flushSpace(top)
	top.hasContent = true
	switch kind {
	case syntax.StartPiece, syntax.EmptyPiece:
		w.startTag(top, at, kind == syntax.EmptyPiece)
	default:
		w.out = append(w.out, text...)
	}
}

// flushSpace writes white space unless it is for layout: a line end between two elements.
func (w *xmlWriter) flushSpace(top *xmlElement) {
	if len(w.open) > 1 && (top.keep || bytes.IndexAny(w.space, "\r\n") < 0) {
		w.out = append(w.out, w.space...)
	}
	w.space = w.space[:0]
}

func (w *xmlWriter) startTag(parent *xmlElement, at int, empty bool) {
	name := syntax.TagName(w.b, at)
	e := xmlElement{preserve: parent.preserve}
	w.out = append(append(w.out, '<'), name...)
	for a := syntax.AttributesAt(w.b, at); a.Next(); {
		if syntax.IsNamespace(a.Name) && w.isDeclared(&e, a.Name, a.Value) {
			continue
		}
		if string(a.Name) == "xml:space" {
			e.preserve = string(a.Value) == "preserve"
		}
		quote := w.b[a.At-1]
		w.out = append(append(append(append(w.out, ' '), a.Name...), '=', quote), a.Value...)
		w.out = append(w.out, quote)
	}
	if empty {
		w.out = append(w.out, "/>"...)
		w.undeclare(&e)
		return
	}
	w.out = append(w.out, '>')
	w.tagEnd = len(w.out)
	e.keep = e.preserve || w.textual[string(name)]
	w.open = append(w.open, e)
}

// endTag writes an end tag, or makes an empty element of one without content.
func (w *xmlWriter) endTag(e *xmlElement, at int) {
	if e.hasContent {
		w.flushSpace(e)
	} else {
		w.out = append(w.out, w.space...) // it is all of the content
		w.space = w.space[:0]
	}
	w.undeclare(e)
	w.open = w.open[:len(w.open)-1]
	if len(w.out) == w.tagEnd {
		w.out = append(w.out[:w.tagEnd-1], "/>"...)
		return
	}
	w.out = append(append(append(w.out, "</"...), syntax.TagName(w.b, at+1)...), '>')
}

// isDeclared reports whether a namespace declaration repeats one in force. Otherwise it is in
// force until the end of the element.
func (w *xmlWriter) isDeclared(e *xmlElement, name, value []byte) bool {
	values := w.bound[string(name)]
	if n := len(values); n > 0 && bytes.Equal(values[n-1], value) {
		return true
	}
	w.bound[string(name)] = append(values, value)
	e.declares = append(e.declares, string(name))
	return false
}

func (w *xmlWriter) undeclare(e *xmlElement) {
	for _, name := range e.declares {
		w.bound[name] = w.bound[name][:len(w.bound[name])-1]
	}
}
