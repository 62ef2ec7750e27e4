package syntax

import "github.com/mcpctl/mcpctl/plugins/src/internal/part"

// Limits of a Tree.
const (
	MaxLevels   = 64      // levels of elements that are parts
	MaxDepth    = 1 << 17 // levels of elements that are read
	MaxChildren = 1 << 16 // of one element, because a content has at most this many sections
	MaxTags     = 1 << 12 // tags that are numbered
)

// Tree is the result of Parse: the parts of a text, each element before its content.
type Tree struct {
	Text     []byte
	Parts    []part.Part
	Forms    []Form // by part
	Tags     []Tag  // by number; 0 is for the tags that are not numbered
	Wide     []Wide
	Elements int  // number of elements, parts or not
	Root     int  // offset of the first element
	Errors   int  // tags and "<" that are not well-formed, and elements that are not closed
	Outside  bool // there is text outside of all elements
}

// Form is the form of a part: a constant, or an element with the number of its tag.
type Form uint16

// The forms of parts.
const (
	Text     Form = iota
	StartTag      // of the element that contains the part
	Attribute
	Comment
	CDATA
	Group       // a group of elements; Parse creates none
	Element = 8 // plus the number of the tag, 0 if the tag is not numbered
	isWide  = 1 << 15
)

// IsElement reports whether the part is an element.
func (f Form) IsElement() bool { return f >= Element }

// IsWide reports whether the part is an element with many children.
func (f Form) IsWide() bool { return f&isWide != 0 }

// Tag returns the number of the tag of an element, 0 if it is not numbered.
func (f Form) Tag() Form { return f&^isWide - Element }

// MarkWide marks the elements of t.Wide.
func (t *Tree) MarkWide() {
	for _, w := range t.Wide {
		t.Forms[w.Part] |= isWide
	}
}

// Wide is an element with so many children that groups may help a reader.
type Wide struct {
	Part     int32
	Children int32 // at most this many
}

// Tag is a name of elements.
type Tag struct {
	Start, End int32 // of its first occurrence
	next       Form  // number of the tag that followed the last occurrence
}

// tagNumbers numbers the tags of a text, so that tags are compared as numbers. Most
// names are read by comparing them with the expected tag.
type tagNumbers struct {
	tags  []Tag // by number
	known map[string]Form
	last  Form
}

func newTagNumbers() tagNumbers {
	return tagNumbers{tags: append(make([]Tag, 0, 32), Tag{}), known: make(map[string]Form)}
}

// read reads the name at b[at]. Its first byte must be valid. The expected tag is the one
// that followed the previous tag the last time, or the tag of the last sibling.
func (t *tagNumbers) read(b []byte, at int, sibling Form) (f Form, end int) {
	before := &t.tags[t.last]
	if f = before.next; f == 0 || !t.isAt(b, at, f) {
		if f = sibling; f == 0 || !t.isAt(b, at, f) {
			f = t.lookUp(b, at)
		}
		t.tags[t.last].next = f
	}
	if t.last = f; f == 0 {
		return Element, NameEnd(b, at)
	}
	tag := &t.tags[f]
	return f + Element, at + int(tag.End-tag.Start)
}

// isAt reports whether tag f is the name at b[at].
func (t *tagNumbers) isAt(b []byte, at int, f Form) bool {
	tag := &t.tags[f]
	start, end := int(tag.Start), int(tag.End)
	after := at + end - start
	return after < len(b) && class[b[after]]&nameByte == 0 && isEqual(b, start, at, end-start)
}

// lookUp returns the number of the tag at b[at], 0 if there are too many.
func (t *tagNumbers) lookUp(b []byte, at int) Form {
	end := NameEnd(b, at)
	f, ok := t.known[string(b[at:end])]
	if !ok && len(t.tags) < MaxTags {
		f = Form(len(t.tags))
		t.known[string(b[at:end])] = f
		t.tags = append(t.tags, Tag{Start: int32(at), End: int32(end)})
	}
	return f
}
