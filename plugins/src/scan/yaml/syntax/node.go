package syntax

import (
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Tree is the result of Parse: the nodes of a text, each document and each
// collection before its entries.
type Tree struct {
	Text      []byte
	Parts     []part.Part // by node: its span and parent
	Places    []Place     // by node
	Documents int         // may be more than MaxDocuments; then all share one node
	Evidence  Evidence
}

// Node is an element of a Tree. A text may have one for every dozen bytes, so a
// node is small: its Place, and the rest in unused fields of its part.
type Node struct {
	Place
	Size uint16 // of the text at Start, 0 if Start is a number
	Kind Kind
	Role Role
}

// Place holds the offsets of a node.
type Place struct {
	// Start is the offset of the text of a key, quotes included. For an item and a
	// document it is their position. Users of a Tree may replace it by the offset of
	// the text that serves as an id.
	Start int32
	// Value is the offset of the value of a scalar, 0 if there is none. For a
	// collection it is the number of entries.
	Value int32
}

// End returns the offset after the text at Start.
func (n Node) End() int32 { return n.Start + int32(n.Size) }

// IsItem reports whether the node is an entry of a sequence.
func (n Node) IsItem() bool { return n.Role&Item != 0 }

// IsDocument reports whether the node is a document of a stream.
func (n Node) IsDocument() bool { return n.Role&Document != 0 }

// IsScalar reports whether the value of the node is not a block collection.
func (n Node) IsScalar() bool { return n.Kind != Mapping && n.Kind != Sequence }

// IsEntry reports whether the node is a key, an item or a document.
func (n Node) IsEntry() bool { return n.Kind < Head }

// Kind is the kind of the value of a node.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Plain
	Quoted
	Literal // a block scalar; Value is the offset of its first line
	Flow
	Mapping
	Sequence
	Head    // not a value: the text before an embedded document
	Content // an embedded document
	Group   // a group of entries; Parse creates none
)

// Role is the relation of a node to its parent, as bits. A key has none.
type Role uint8

// The roles of nodes.
const (
	Item Role = 1 << (iota + 4)
	Document
	Chosen // for users of a Tree: the ids of the items of this sequence are chosen
)

// kindBits are the bits of part.Part.Form that hold the kind. The rest hold the role.
const kindBits = 1<<4 - 1

// Node returns node i.
func (t *Tree) Node(i int32) Node { return nodeOf(&t.Parts[i], t.Places[i]) }

// Key returns the text of a key with its quotes.
func (t *Tree) Key(n Node) []byte { return n.text(t.Text) }

func (n Node) text(b []byte) []byte { return b[n.Start:n.End()] }

func nodeOf(p *part.Part, at Place) Node {
	return Node{Place: at, Size: p.Room, Kind: Kind(p.Form & kindBits), Role: Role(p.Form &^ kindBits)}
}

// maxKey is the number of bytes of a key that are kept.
const maxKey = 1<<16 - 1

// keySize returns the size of a key, cut at a rune border if it is too long.
func keySize(text []byte) uint16 {
	if len(text) <= maxKey {
		return uint16(len(text))
	}
	n := maxKey
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return uint16(n)
}

// nodeList holds the nodes that a scanner has found.
type nodeList struct {
	parts  []part.Part
	places []Place // by part
}

func (l *nodeList) node(i int32) Node { return nodeOf(&l.parts[i], l.places[i]) }

// start returns the offset of a node, 0 if i is -1.
func (l *nodeList) start(i int32) int {
	if i < 0 {
		return 0
	}
	return int(l.parts[i].Start)
}

// setKey sets the offset and size of the text of a key.
func (l *nodeList) setKey(i int32, start int, size uint16) {
	l.places[i].Start, l.parts[i].Room = int32(start), size
}

// setValue sets the kind and the offset of the value of a node.
func (l *nodeList) setValue(i int32, k Kind, value int) {
	p := &l.parts[i]
	p.Form = p.Form&^kindBits | uint8(k)
	l.places[i].Value = int32(value)
}

// setEnd sets the end of a node and of the embedded document in it.
func (l *nodeList) setEnd(i int32, end int) {
	l.parts[i].End = int32(end)
	if last := int(i) + 2; last < len(l.parts) && l.parts[last].Kind == part.Text && l.parts[last].Parent == i {
		l.parts[last].End = int32(end)
	}
}

func (l *nodeList) truncate(n int32) { l.parts, l.places = l.parts[:n], l.places[:n] }

// reserve makes room for n nodes in all, and no more.
func (l *nodeList) reserve(n int) {
	l.parts, l.places = Reserve(l.parts, n), Reserve(l.places, n)
}

// Reserve returns s with room for n elements in all, and no more.
func Reserve[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s
	}
	return append(make([]T, 0, n), s...)
}
