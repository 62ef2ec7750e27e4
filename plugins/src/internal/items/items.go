// Package items builds the parts of a text that consists of nested items: blocks with
// assignments, stages with instructions, messages.
//
// A scanner adds the items in text order. An item begins where the one before it ends,
// so the comments above it belong to it. Text after the last item belongs to that item. A
// List knows no syntax: the scanner decides where an item ends.
package items

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Span is a range of bytes of the text.
type Span struct{ Start, End int32 }

// Item is a part of the text.
type Item struct {
	Span
	Name   Span
	Parent int32 // -1 at the top
	Next   int32 // position after the items inside it
	Group  bool  // it has no bytes but those of the items inside
	last   int32 // the last item directly inside it, -1 if there is none
}

// List holds the items of a text. Create it with New.
type List struct {
	Text  []byte
	Items []Item
	open  int32 // the innermost open item, -1 at the top
	last  int32 // the last item at the top
	from  int   // end of the last item, or of the line that opens one
}

// New returns an empty list of the items of a text.
func New(text []byte) *List {
	return &List{Text: text, open: -1, last: -1, from: lines.Start(text)}
}

// Add adds an item that ends at an offset. It returns its position.
func (l *List) Add(name Span, end int) int32 {
	i := l.append(name)
	l.Items[i].End, l.Items[i].Next = int32(end), i+1
	l.from = end
	return i
}

// Open adds an item with items inside. The first of them begins at body or after it.
func (l *List) Open(name Span, body int) int32 {
	i := l.append(name)
	l.open, l.from = i, body
	return i
}

// OpenGroup is Open for an item that is the group of the items inside.
func (l *List) OpenGroup() int32 {
	i := l.Open(Span{}, l.from)
	l.Items[i].Group = true
	return i
}

// Current returns the innermost open item, or -1.
func (l *List) Current() int32 { return l.open }

// Rest returns the offset after the last item, or the line that opens one.
func (l *List) Rest() int { return l.from }

// Close ends the innermost open item at an offset. Text before tail, where the mark
// that closes it begins, belongs to the last item inside. An item that no mark closes
// has the same tail and end.
func (l *List) Close(tail, end int) {
	i := l.open
	l.takeRest(l.Items[i].last, tail)
	l.Items[i].End, l.Items[i].Next = int32(end), int32(len(l.Items))
	l.open, l.from = l.Items[i].Parent, end
}

// Finish closes all open items at the end of the text, to which the last item extends.
func (l *List) Finish() {
	for l.open >= 0 {
		l.Close(len(l.Text), len(l.Text))
	}
	l.takeRest(l.last, len(l.Text))
}

// Extend moves the end of the last item at this level to an offset.
func (l *List) Extend(end int) {
	last := l.last
	if l.open >= 0 {
		last = l.Items[l.open].last
	}
	if last >= 0 {
		l.extend(last, end)
		l.from = end
	}
}

// append adds an item at the start of the text that no item covers.
func (l *List) append(name Span) int32 {
	i := int32(len(l.Items))
	l.Items = append(Grow(l, l.Items), Item{Span: Span{Start: int32(l.skipBlank())}, Name: name, Parent: l.open, last: -1})
	if l.open >= 0 {
		l.Items[l.open].last = i
	} else {
		l.last = i
	}
	return i
}

// Grow returns a list with room for another entry. The list has an entry for each item of l.
func Grow[T any](l *List, list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return grow.Slice(list, l.from, len(l.Text), len(l.Text))
}

// skipBlank returns the start of the first line with text after the last item, or the
// start of the text if it is on the same line.
func (l *List) skipBlank() int {
	start, at := l.from, l.from
	newLine := at == 0 || isLineEnd(l.Text[at-1])
	for at < len(l.Text) && isSpace(l.Text[at]) {
		at++
		if isLineEnd(l.Text[at-1]) {
			start, newLine = at, true
		}
	}
	if !newLine {
		return at
	}
	return start
}

// takeRest extends an item, if there is one, over the text after it.
func (l *List) takeRest(i int32, end int) {
	if i >= 0 && len(bytes.TrimSpace(l.Text[l.from:end])) > 0 {
		l.extend(i, end)
	}
}

// extend moves the end of an item, and of the items that end with it.
func (l *List) extend(i int32, end int) {
	for before := l.Items[i].End; i >= 0 && l.Items[i].End == before; i = l.Items[i].last {
		l.Items[i].End = int32(end)
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || isLineEnd(c) }

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// Unwrap removes item i, without the items inside it, from a finished list.
func (l *List) Unwrap(i int32) {
	parent := l.Items[i].Parent
	l.Items = slices.Delete(l.Items, int(i), int(i)+1)
	for j := range l.Items {
		it := &l.Items[j]
		switch {
		case it.Parent == i:
			it.Parent = parent
		case it.Parent > i:
			it.Parent--
		}
		if it.Next > i {
			it.Next--
		}
	}
}

// Slice returns the text of a span.
func (l *List) Slice(x Span) []byte { return l.Text[x.Start:x.End] }

// Children calls yield for the items directly inside item i until it returns false.
func (l *List) Children(i int32) func(yield func(j int32) bool) {
	return func(yield func(j int32) bool) {
		for j := i + 1; j < l.Items[i].Next; j = l.Items[j].Next {
			if !yield(j) {
				return
			}
		}
	}
}

// Top calls yield for the items at the top until it returns false.
func (l *List) Top(yield func(i int32) bool) {
	for i := int32(0); int(i) < len(l.Items); i = l.Items[i].Next {
		if !yield(i) {
			return
		}
	}
}

// Group is a set of items at the top, or of other groups.
type Group struct {
	ID, Title string
	Members   []int32 // in text order
	Groups    []Group // instead of members
}

// Document returns the items as parts. Items at the top that are members of a group
// follow it.
func (l *List) Document(groups []Group, name func(i int, n *part.Name)) *part.Doc {
	if len(groups) == 0 {
		d := &part.Doc{Parts: make([]part.Part, len(l.Items)), Name: name}
		for i := range l.Items {
			d.Parts[i] = l.Items[i].part(l.Items[i].Parent)
		}
		return d
	}
	w := &writer{List: l, parts: make([]part.Part, 0, len(l.Items)+len(groups))}
	grouped := make([]bool, len(l.Items))
	for i := range groups {
		w.addGroup(&groups[i], -1, grouped)
	}
	for i := range l.Top {
		if !grouped[i] {
			w.addItem(i, -1)
		}
	}
	return &part.Doc{Parts: w.parts, Name: func(i int, n *part.Name) {
		if of := w.of[i]; of >= 0 {
			name(int(of), n)
			return
		}
		g := w.groups[-1-w.of[i]]
		n.ID, n.Title = append(n.ID, g.ID...), append(n.Title, g.Title...)
	}}
}

// part returns the item as a part.
func (it *Item) part(parent int32) part.Part {
	if it.Group {
		return part.Part{Parent: parent, Kind: part.Group}
	}
	return part.Part{Start: it.Start, End: it.End, Parent: parent}
}

// writer writes the parts of a document with groups.
type writer struct {
	*List
	parts  []part.Part
	of     []int32 // by part: its item, or -1 less the position of its group
	groups []*Group
}

func (w *writer) addGroup(g *Group, parent int32, grouped []bool) {
	at := w.add(part.Part{Parent: parent, Kind: part.Group}, int32(-1-len(w.groups)))
	w.groups = append(w.groups, g)
	for i := range g.Groups {
		w.addGroup(&g.Groups[i], at, grouped)
	}
	for _, i := range g.Members {
		grouped[i] = true
		w.addItem(i, at)
	}
}

// addItem adds an item and those inside it.
func (w *writer) addItem(top, parent int32) {
	shift := int32(len(w.parts)) - top
	for i := top; i < w.Items[top].Next; i++ {
		it := &w.Items[i]
		if i > top {
			parent = it.Parent + shift
		}
		w.add(it.part(parent), i)
	}
}

func (w *writer) add(p part.Part, of int32) int32 {
	w.parts, w.of = append(w.parts, p), append(w.of, of)
	return int32(len(w.parts) - 1)
}
