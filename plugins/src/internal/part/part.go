// Package part is what a scanner of one content type tells the stages: where
// the parts of a text lie and what they are called.
//
// A scanner notes every part it finds, however small, and decides nothing by
// size: which parts become sections is for the stage. So it needs no config, its
// names depend on the text alone, and its tests need no stage.
package part

// Scan proves that a readable text (UTF-8) is of a type and finds its parts. No
// input is an error: what is damaged is not of the type, or a part more.
type Scan func(b []byte, c Clues) (*Doc, bool)

// Clues are what is known of a text beside its bytes.
type Clues struct {
	File    string // file name or URI, "" if unknown
	Forced  bool   // the config says that it is of this type: only a text without parts is refused
	GroupBy string // field to group elements by, "" for what means something; see Doc.Grouped
}

// Doc is a text as its type sees it.
//
// Parts that have the same parent do not overlap, each lies inside its parent,
// and what lies between them is pure structure. Parts are listed with each parent
// before its children and siblings in the order of the text; the members of a
// group may lie anywhere in the nearest parent that is no group, and one part
// stands in one group.
type Doc struct {
	Count string   // how many there are of what, "9 headings": see caption.Count
	By    string   // what its parts are grouped by, if a reader is told: a field, "key prefix"
	Lines []string // what a reader is told before the parts, such as a schema
	Parts []Part

	// Grouped says that groups were made by the field that Clues.GroupBy names.
	// Where elements do not have it they are grouped as if it named none.
	Grouped bool

	// Name appends to n what part i is called. It is asked once for each part that
	// becomes a section, in order, and n is empty then.
	Name func(i int, n *Name)
}

// Part is a stretch of a text, or a group of such. A text of a megabyte may have
// a hundred thousand of them, so they hold no strings.
type Part struct {
	Start, End int32 // in bytes; both 0 for a group
	Parent     int32 // position in Doc.Parts, -1 at the top
	Kind       Kind

	// Form and Room are for what a scanner notes beside: the memory would lie unused.
	Form uint8
	Room uint16
}

// Kind says how a part is treated.
type Kind uint8

// The kinds of a part.
const (
	// Plain is split if it is over the size of a leaf.
	Plain Kind = iota
	// Record is split if it is over twice that size: an element, a function.
	Record
	// Group has no bytes of its own.
	Group
	// Text holds text of another type, such as a block in a fence. Over the size
	// of a leaf it is split as what it is found to be.
	Text
	// Literal is a JSON string. Over the size of a leaf it is decoded, and what it
	// holds is split as a document of its own.
	Literal
)

// Size is the length of a part in bytes.
func (p Part) Size() int { return int(p.End - p.Start) }

// Name is what a part is called.
type Name struct {
	ID      []byte // name in paths, as the text has it: a key, "L12"; empty: the host makes it of the title
	Title   []byte // one line of up to 80 bytes; see package caption
	Summary []byte // shown where the part is opened, such as the schema of its rows; mostly empty
	Hint    []byte // of Text and Literal: a file name that orders the proofs, such as "x.yaml"
}
