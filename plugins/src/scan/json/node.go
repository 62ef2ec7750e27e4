// Package json finds the values of JSON text as byte spans.
//
// A Scanner reads a text once, proves it well-formed (RFC 8259) and notes
// where the values worth naming lie: the children of every container that is
// too large to be one leaf. No value is ever built and no call nests, so no
// depth is too deep: a level costs one bit. Duplicate keys and numbers of any
// size are accepted, as bytes they are as good as others.
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
	Broken // what stands where a value should be; see Scanner.NoteBroken
)

// Node is one value that was noted. Nodes stand in the order of the text,
// each parent before its children.
//
// Units: offsets are bytes of the text given to New.
type Node struct {
	Start, End int32  // exact text of the value
	keyStart   int32  // the member's key with its quotes
	next       int32  // position after the last descendant; of a leaf whose members are in Scanner.fields: where, negated
	Kids       int32  // children in the text, whether noted or not
	keySize    uint16 // 0 if there is no key, maxKey if it is that long or longer
	Depth      uint8  // 0 at the top
	Kind       Kind
}

// maxKey is the size of a key that is found by reading it once more: a node of more
// bytes would cost all of a text's values for the sake of those.
const maxKey = 1<<16 - 1

// Size is the length of the value in bytes.
func (n *Node) Size() int { return int(n.End - n.Start) }

// Keyed reports whether the value is a member of an object.
func (n *Node) Keyed() bool { return n.keySize > 0 }

// keySize is that of a key as a node has it.
func (s span) keySize() uint16 { return uint16(min(s.end-s.start, maxKey)) }

// Options say which values are noted.
type Options struct {
	Leaf   int // a member of an object up to this many bytes is not split
	Record int // the same for an element of an array
	Top    int // the same for a top value; 0 splits it whatever its size
	Nodes  int // nodes at most; where there would be more, deeper levels give way
	Depth  int // levels below a top value, maxDepth at most
}

// Scanner notes the nodes of the top values of one text.
type Scanner struct {
	b      []byte
	o      Options
	pages  [][]Node         // nodes, page by page
	count  int              // nodes noted
	depth  int              // deepest level that is still noted
	nest   nest             // brackets that are open
	open   []int32          // positions of those that are noted, outermost first
	fields fields           // members of leaves
	fast   int              // offset up to which rows and walk read: some bytes before the end
	retry  int              // offset before which no container is tried as a leaf
	first  int32            // position of the first node of the value being read
	none   Node             // stands for the parent of top values
	again  [fieldRoom]field // memory for the members of one leaf
}

// maxDepth is the deepest level of which values are noted.
const maxDepth = 1<<8 - 1

// nodePage is how many nodes stand in one piece. A slice of all of them would
// leave its smaller selves behind as it grows, which counts against the guest.
// One piece is what Go sets aside for it: 6 KiB.
const nodePage = 1 << 8

// New returns a Scanner over b, which must be shorter than 2 GiB.
func New(b []byte, o Options) *Scanner {
	return &Scanner{b: b, o: o, depth: min(o.Depth, maxDepth), open: make([]int32, 0, min(o.Depth+1, nodePage)), fast: len(b) - margin}
}

// Len is the number of nodes noted so far.
func (s *Scanner) Len() int { return s.count }

// Node is the node at position i, below Len. It is good until the next scan.
func (s *Scanner) Node(i int32) *Node { return &s.pages[uint32(i)/nodePage][uint32(i)%nodePage] }

// Key is where the key of a node stands, with its quotes; both 0 if there is none.
func (s *Scanner) Key(n *Node) (start, end int32) {
	if n.keySize == maxKey {
		end, _ := String(s.b, int(n.keyStart))
		return n.keyStart, int32(end)
	}
	return n.keyStart, n.keyStart + int32(n.keySize)
}

// Split reports whether the children of the node at i were noted.
func (s *Scanner) Split(i int32) bool { return s.Node(i).next > i+1 }

// Next is the position after the last descendant of the node at i.
func (s *Scanner) Next(i int32) int32 { return max(i+1, s.Node(i).next) }

// direct reports whether what is read now is a child of a noted container, or
// a top value: then it counts, and is noted if its level is.
func (s *Scanner) direct() bool { return s.nest.depth == len(s.open) }

// note adds the direct value [start, end) if its level is noted, and reports
// that.
func (s *Scanner) note(start, end int, key span, kind Kind) bool {
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

// enter notes the opening of a container.
func (s *Scanner) enter(start int, key span, kind Kind) {
	if s.direct() && s.note(start, start, key, kind) {
		s.open = append(s.open, int32(s.Len()-1))
	}
	s.nest.push(kind == Object)
}

// leave closes the innermost container, which ends at end. One that is small
// enough to be a leaf forgets its children.
func (s *Scanner) leave(end int) {
	noted := s.direct()
	s.nest.pop()
	if !noted {
		return
	}
	last := len(s.open) - 1
	at := s.open[last]
	s.open = s.open[:last]
	n := s.Node(at)
	n.End = int32(end)
	if n.Size() <= s.limit(last) {
		s.count = int(at) + 1
	}
	n.next = int32(s.Len())
}

// NoteBroken notes text that is no value as a top value without children.
func (s *Scanner) NoteBroken(start, end int) {
	s.nest.depth, s.open = 0, s.open[:0]
	s.note(start, end, span{}, Broken)
}

// limit is the size up to which a container inside so many noted ones is a leaf.
func (s *Scanner) limit(depth int) int {
	switch {
	case depth == 0:
		return s.o.Top
	case s.Node(s.open[depth-1]).Kind == Array:
		return s.o.Record
	}
	return s.o.Leaf
}
