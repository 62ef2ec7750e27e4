// Package part is the interface between a scanner of one content type and the stages: the
// positions and names of the parts of a text.
//
// A scanner returns every part, however small, and ignores sizes, because stages select
// the parts that become sections. So it needs no configuration, names depend only on the
// text, and its tests need no stage.
package part

import (
	"slices"
	"strings"
)

// Scan checks whether a readable text (UTF-8) has a type, and finds its parts. No input
// is an error: a damaged text does not have the type, or has an additional part.
type Scan func(b []byte, c Clues) (*Doc, bool)

// Clues are known facts about a text besides its bytes.
type Clues struct {
	File    string // file name or URI, "" if unknown
	Forced  bool   // the configuration sets this type: only a text without parts is refused
	GroupBy string // field to group elements by, "" for automatic; see Doc.Grouped
}

// Doc is a parsed text.
//
// Parts with the same parent do not overlap, each is inside its parent, and the text
// between them is only structure. A parent precedes its children, and siblings are in
// text order. The members of a group may be anywhere in the nearest parent that is no
// group, and a part is in at most one group.
type Doc struct {
	Count string   // the number of parts and their noun, "9 headings": see caption.Count
	By    string   // the grouping to show to a reader: a field, "key prefix"
	Lines []string // lines shown above the parts, such as a schema
	Parts []Part

	// Grouped reports that parts are grouped by the field that Clues.GroupBy names. If no
	// elements have the field, they are grouped as if GroupBy were empty.
	Grouped bool

	// Name appends the name of part i to n, which is empty. It is called once for each
	// part that becomes a section, in order.
	Name func(i int, n *Name)
}

// Part is a span of a text, or a group of parts. A text of one megabyte may have a
// hundred thousand parts, so they contain no strings.
type Part struct {
	Start, End int32 // in bytes; both 0 for a group
	Parent     int32 // position in Doc.Parts, -1 at the top
	Kind       Kind

	// Form and Room are available to the scanner. They use memory that would be padding.
	Form uint8
	Room uint16
}

// Kind selects how a part is split.
type Kind uint8

// The kinds of a part.
const (
	// Plain is split if it is larger than a leaf.
	Plain Kind = iota
	// Record is split if it is larger than two leaves: an element, a function.
	Record
	// Group has no bytes of its own.
	Group
	// Text contains text of another type, such as a code fence. If larger than a leaf, it
	// is split by its detected type.
	Text
	// Literal is a JSON string. If larger than a leaf, it is decoded and split by its
	// detected type.
	Literal
)

// Size returns the length of a part in bytes.
func (p Part) Size() int { return int(p.End - p.Start) }

// Name is the id and title of a part.
type Name struct {
	ID      []byte // id in paths, from the text: a key, "L12"; empty: derived from the title by the host
	Title   []byte // one line of up to 80 bytes; see package caption
	Summary []byte // shown when the part is opened, such as the schema of its rows; usually empty
	Hint    []byte // of Text and Literal: a file name for detection, such as "x.yaml"

	// Head and Tail are the bytes of a Text before and after the text of another type: the tags around
	// a script.
	Head, Tail int32
}

// HasExtension reports whether a file name or URI has one of some extensions, or is one
// of them as a whole: Makefile.
func HasExtension(file, extensions string) bool {
	file = strings.ToLower(file[strings.LastIndexByte(file, '/')+1:])
	return file != "" && slices.Contains(strings.Fields(extensions), file[strings.LastIndexByte(file, '.')+1:])
}

// HasStem reports whether a file name or URI is one of some names, with any extension:
// Dockerfile.dev.
func HasStem(file, names string) bool {
	file = strings.ToLower(file[strings.LastIndexByte(file, '/')+1:])
	stem, _, _ := strings.Cut(file, ".")
	return stem != "" && slices.Contains(strings.Fields(names), stem)
}
