// Package json finds the values of JSON text as byte spans.
//
// A Scanner reads a text once, proves that it is well-formed (RFC 8259) and notes the
// values that may be named: the children of every container that is too large to
// be one leaf. It builds no values and does not recurse, so depth is unlimited: a level
// costs one bit. Duplicate keys and numbers of any size are accepted.
package json

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of a value.
const (
	Null Kind = iota
	Bool
	Number
	Text
	Array
	Object
	Broken // text in place of a value; see Scanner.Records
)

// Node is a value that was noted. Nodes are in the order of the text, each
// parent before its children.
//
// Units: offsets are bytes of the text given to New.
type Node struct {
	Start, End int32  // exact text of the value
	keyStart   int32  // the member's key with its quotes
	next       int32  // position after the last descendant; for a leaf with fields the negated place of these
	Kids       int32  // children in the text, whether noted or not
	keySize    uint16 // 0 if there is no key, maxKey if it is that long or longer
	Depth      uint8  // 0 at the top
	Kind       Kind
}

// maxKey is the size from which on a key is measured by reading it again. A larger field in every
// node would cost memory for the sake of such keys.
const maxKey = 1<<16 - 1

// Size returns the length of the value in bytes.
func (n *Node) Size() int { return int(n.End - n.Start) }

// HasKey reports whether the value is a member of an object.
func (n *Node) HasKey() bool { return n.keySize > 0 }

// keySize returns the size of a key as a node stores it.
func (s span) keySize() uint16 { return uint16(min(s.end-s.start, maxKey)) }

// Options determine which values are noted.
type Options struct {
	Leaf   int // a member of an object up to this many bytes is not split
	Record int // the same for an element of an array
	Top    int // the same for a top value; 0 splits it whatever its size
	Nodes  int // nodes at most; if there would be more, the deepest levels are dropped
	Depth  int // levels below a top value, maxDepth at most
}

// Scanner notes the nodes of the top values of one text.
type Scanner struct {
	b        []byte
	o        Options
	pages    [][]Node // nodes, page by page
	count    int      // nodes noted
	depth    int      // deepest level that is still noted
	brackets bracketStack
	open     []int32          // positions of the open containers that are noted, outermost first
	fields   fields           // members of leaves
	fast     int              // offset up to which readValues and walk read: margin before the end
	retry    int              // offset before which no container is read as a leaf
	first    int32            // position of the first node of the value being read
	none     Node             // parent of top values
	scratch  [fieldRoom]field // memory of readFields
}

// maxDepth is the deepest level of which values are noted.
const maxDepth = 1<<8 - 1

// nodePage is the number of nodes in a page. A slice of all of them would leave its smaller
// copies allocated as it grows, and a guest never returns memory. The size of a page is a size
// class of Go: 6 KiB.
const nodePage = 1 << 8

// New returns a Scanner over b, which must be shorter than 2 GiB.
func New(b []byte, o Options) *Scanner {
	return &Scanner{b: b, o: o, depth: min(o.Depth, maxDepth), open: make([]int32, 0, min(o.Depth+1, nodePage)), fast: len(b) - margin}
}

// Len returns the number of nodes noted so far.
func (s *Scanner) Len() int { return s.count }

// Node returns the node at position i, below Len. It is valid until the next scan.
func (s *Scanner) Node(i int32) *Node { return &s.pages[uint32(i)/nodePage][uint32(i)%nodePage] }

// Key returns the span of the key of a node, with its quotes; both are 0 if it has none.
func (s *Scanner) Key(n *Node) (start, end int32) {
	if n.keySize == maxKey {
		end, _ := ScanString(s.b, int(n.keyStart))
		return n.keyStart, int32(end)
	}
	return n.keyStart, n.keyStart + int32(n.keySize)
}

// IsSplit reports whether the children of the node at i were noted.
func (s *Scanner) IsSplit(i int32) bool { return s.Node(i).next > i+1 }

// Next returns the position after the last descendant of the node at i.
func (s *Scanner) Next(i int32) int32 { return max(i+1, s.Node(i).next) }

// isDirect reports whether the current value is a child of a noted container, or a top value. It
// is counted then, and noted if its level is.
func (s *Scanner) isDirect() bool { return s.brackets.depth == len(s.open) }

// addNode adds the direct value [start, end) if its level is noted, and reports whether it is.
func (s *Scanner) addNode(start, end int, key span, kind Kind) bool {
	depth := len(s.open)
	if depth > 0 {
		s.Node(s.open[depth-1]).Kids++
	}
	for depth <= s.depth && s.Len() >= s.o.Nodes {
		s.dropLevel()
	}
	if depth > s.depth {
		return false
	}
	at := int32(s.count)
	if s.count == len(s.pages)*nodePage {
		s.pages = append(s.pages, make([]Node, nodePage))
	}
	s.count++
	*s.Node(at) = Node{
		Start: int32(start), End: int32(end), keyStart: int32(key.start), keySize: key.keySize(),
		next: at + 1, Depth: uint8(depth), Kind: kind,
	}
	return true
}

// openContainer reads the opening bracket of a container.
func (s *Scanner) openContainer(start int, key span, kind Kind) {
	if s.isDirect() && s.addNode(start, start, key, kind) {
		s.open = append(s.open, int32(s.Len()-1))
	}
	s.brackets.push(kind == Object)
}

// closeContainer closes the innermost container, which ends at end. If it is small enough to be
// a leaf, its children are dropped.
func (s *Scanner) closeContainer(end int) {
	noted := s.isDirect()
	s.brackets.pop()
	if !noted {
		return
	}
	last := len(s.open) - 1
	at := s.open[last]
	s.open = s.open[:last]
	n := s.Node(at)
	n.End = int32(end)
	if n.Size() <= s.leafLimit(last) {
		s.count = int(at) + 1
	}
	n.next = int32(s.Len())
}

// addBroken adds text that is no value as a top value without children.
func (s *Scanner) addBroken(start, end int) {
	s.brackets.depth, s.open = 0, s.open[:0]
	s.addNode(start, end, span{}, Broken)
}

// leafLimit returns the size up to which a container is a leaf that has depth noted containers
// around it.
func (s *Scanner) leafLimit(depth int) int {
	switch {
	case depth == 0:
		return s.o.Top
	case s.Node(s.open[depth-1]).Kind == Array:
		return s.o.Record
	}
	return s.o.Leaf
}
