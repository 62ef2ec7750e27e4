package yamlscan

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// scanner is the state between two lines.
type scanner struct {
	b     []byte
	at    int // where the next line begins
	parts []part.Part
	nodes []place // beside parts
	open  []level // block collections that are open, outermost first
	state state   // what the last entry still takes
	doc   int32   // part of the document that is read
	docs  int

	lead    int // where the comments above the next node begin, -1 for none
	leadCol int
	head    int // where the first part inside the last entry has to begin to hold all that is no structure; -1: on its own line

	levels int // of collections, deeper ones are not noted
	forced bool
	census census
}

// node is what a part is about. There may be one for each dozen bytes, so what is kept
// of it is small: its place, and what there is room for in its part.
type node struct {
	place
	size uint16 // of the text at start, 0 if that is a number
	kind kind
	is   role
}

// place is where a node has what it is about.
type place struct {
	// Of a key: where its text begins, with quotes. Of an item: its position; once
	// ids are chosen, where the text stands that serves as its id. Of a document: its
	// position. Of a group: its number.
	start int32
	// Of a scalar: where it begins, 0 if there is none. Of a collection: how many
	// entries it has.
	val int32
}

// nodeOf is the node that is kept in a part and its place.
func nodeOf(p *part.Part, at place) node {
	return node{place: at, size: p.Room, kind: kind(p.Form & kindBits), is: role(p.Form &^ kindBits)}
}

func (s *scanner) kept(i int32) node { return nodeOf(&s.parts[i], s.nodes[i]) }

// holds notes of what kind the value of a part is, and where it begins.
func (s *scanner) holds(at int32, is kind, val int) {
	p := &s.parts[at]
	p.Form = p.Form&^kindBits | uint8(is)
	s.nodes[at].val = int32(val)
}

// named notes where the key of a part stands.
func (s *scanner) named(at int32, start, end int) {
	s.nodes[at].start, s.parts[at].Room = int32(start), sizeOf(s.b[start:end])
}

// kindBits are those of a part's form that are its kind; the others are its role.
const kindBits = 1<<4 - 1

// role is what a part is to the one it is in, as bits; that of a key has none.
type role uint8

const (
	isItem     role = 1 << (iota + 4)
	isDocument      // of a stream
	isChosen        // a sequence of which the ids of items are chosen
)

// maxKey is how much of a key is known, in bytes.
const maxKey = 1<<16 - 1

// end is where the text at start ends.
func (n node) end() int32 { return n.start + int32(n.size) }

// sizeOf is the size of a text as a node has it, cut at a rune border.
func sizeOf(text []byte) uint16 {
	if len(text) <= maxKey {
		return uint16(len(text))
	}
	n := maxKey
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return uint16(n)
}

// kind is the kind of a value.
type kind uint8

const (
	null kind = iota
	plain
	quoted
	literal // a block scalar; val is its first line
	flow
	mapping
	sequence
	opening // no value: what stands before a document inside
	content // such a document
	bundle  // a group of entries
)

// level is a block collection.
type level struct {
	col   int32 // of its keys or dashes
	owner int32 // part whose value it is
	entry int32 // part of its last entry; both -1 if they are not noted
	seq   bool
	set   bool // its last entry is a complex key, ? and no : yet
}

// state is what may stand on deeper lines than those of the innermost
// collection.
type state uint8

const (
	pending state = iota // the value of the last entry, or of the document
	running              // more of a plain scalar, or of a complex key
	closed
)

// scan reads all lines. It ends early if the text cannot be YAML.
func (s *scanner) scan() {
	s.at = start(s.b)
	s.begin(s.at)
	for s.at < len(s.b) && (s.forced || !s.census.hopeless()) {
		s.line()
	}
	s.finish()
}

// line reads the line at s.at, and what else its value takes.
func (s *scanner) line() {
	from := s.at
	p := s.spaces(from)
	if eol(s.b, p) || s.b[p] == '\t' && s.blankFrom(p) {
		s.at = lines.End(s.b, p)
		return
	}
	switch c := s.b[p]; {
	case c == '#' || c == '{' && s.template(p):
		s.comment(from, p)
	case p == from && (c == '-' || c == '.') && IsMark(s.b[p:]):
		s.mark(from)
	case p == from && c == '%' && s.empty():
		s.comment(from, p)
	case s.state == running && p-from > int(s.column()):
		s.more(p)
	case c == '\t':
		s.odd(from)
	case !s.usual(from, p):
		s.node(from, p)
	}
}

// spaces returns the first offset from p on that holds no space.
func (s *scanner) spaces(p int) int {
	for p < len(s.b) && s.b[p] == ' ' {
		p++
	}
	return p
}

// blankFrom reports whether the line has nothing but white space from p on.
func (s *scanner) blankFrom(p int) bool {
	return eol(s.b, s.blanks(p))
}

// eol reports whether a line ends at p.
func eol(b []byte, p int) bool {
	return p == len(b) || b[p] == '\n' || b[p] == '\r' && (p+1 == len(b) || b[p+1] == '\n')
}

// separated reports whether a blank or the end of the line stands at p.
func separated(b []byte, p int) bool {
	return p == len(b) || b[p] == ' ' || b[p] == '\n' || b[p] == '\t' || b[p] == '\r' && eol(b, p)
}

// blanks returns the first offset from p on that holds no space and no tab.
func (s *scanner) blanks(p int) int {
	for p < len(s.b) && (s.b[p] == ' ' || s.b[p] == '\t') {
		p++
	}
	return p
}

// ends reports whether nothing but a comment stands at p, which follows a blank.
func (s *scanner) ends(p int) bool {
	return eol(s.b, p) || s.b[p] == '#'
}

// column is that of the innermost collection, -1 outside of all.
func (s *scanner) column() int32 {
	if len(s.open) == 0 {
		return -1
	}
	return s.open[len(s.open)-1].col
}

// empty reports whether the document has no node yet.
func (s *scanner) empty() bool { return len(s.open) == 0 && s.state == pending }

// IsMark reports whether text begins with the line --- or ..., or one that begins so.
func IsMark(b []byte) bool {
	return len(b) > 2 && b[1] == b[0] && b[2] == b[0] && (b[0] == '-' || b[0] == '.') && separated(b, 3)
}

// template reports a line that is all {{ ... }}: text with such lines becomes
// YAML once they are replaced.
func (s *scanner) template(p int) bool {
	if !bytes.HasPrefix(s.b[p:], []byte("{{")) {
		return false
	}
	line := bytes.TrimRight(s.b[p:lines.End(s.b, p)], " \t\r\n")
	return bytes.HasSuffix(line, []byte("}}"))
}

// comment reads a line that belongs to what comes next, if that is not indented
// less.
func (s *scanner) comment(from, p int) {
	if col := p - from; s.lead < 0 || col < s.leadCol {
		s.lead, s.leadCol = from, col
	}
	s.above(from)
	if s.state == running {
		s.state = closed
	}
	s.at = lines.End(s.b, p)
}

// above notes that the line at "from" is more than structure and above the first
// part of what is pending.
func (s *scanner) above(from int) {
	if s.state == pending && s.head < 0 {
		s.head = from
	}
}

// odd reads a line that YAML would not have here.
func (s *scanner) odd(from int) {
	s.census.odd++
	s.above(from)
	s.at = lines.End(s.b, from)
}

// more reads another line of a plain scalar.
func (s *scanner) more(p int) {
	s.census.more++
	end, colon := s.plainEnd(p)
	if colon && s.complexKey() == nil {
		s.census.odd++
	}
	s.at = lines.End(s.b, end)
}

// complexKey is the innermost collection if its last entry is a complex key
// without a value.
func (s *scanner) complexKey() *level {
	if n := len(s.open) - 1; n >= 0 && s.open[n].set {
		return &s.open[n]
	}
	return nil
}
