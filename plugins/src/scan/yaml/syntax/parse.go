// Package syntax finds the documents, keys and list items of YAML as byte spans.
//
// Parse reads a text once, line by line. It knows as much of YAML 1.2 as is needed
// to find the beginnings of keys and items: indentation, block scalars, quoted and
// plain scalars of several lines, flow collections, comments, document marks.
// Flow collections are leaves. It resolves nothing: aliases, tags and merge keys
// are text, so nested aliases that expand exponentially cost no more than other text.
//
// A part begins with the comments above its key or dash. The rest between parts is
// structure: keys and dashes alone on their lines, and document marks. If the head
// of a collection is more than that (a comment above its key, an anchor after it),
// it belongs to the first part inside.
package syntax

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Limits of a Tree.
const (
	MaxLevels    = 56      // of collections; with groups between them, deeper ones are never sections
	MaxDocuments = 1 << 16 // more cannot be sections
	SampleParts  = 1 << 12 // nodes that are enough to judge a text

	minParts     = 101 << 10 // nodes that any text may have; together with 1 MB of text they take 3.7 MB
	bytesPerPart = 24        // a long text may have one node for that many bytes
)

// MaxParts returns how many nodes a text of the given size may have, so that they
// take a fraction of the memory of the text.
func MaxParts(size int) int { return max(minParts, size/bytesPerPart) }

// Parse finds the nodes of b. If forced is not set, it stops where b cannot be YAML.
// Whether b is YAML is for Tree.Evidence to report.
func Parse(b []byte, forced bool) *Tree {
	n := min(len(b)/bytesPerPart+8, SampleParts)
	s := &scanner{
		lexer:    lexer{b: b},
		nodeList: nodeList{make([]part.Part, 0, n), make([]Place, 0, n)},
		lead:     -1, head: -1, levels: MaxLevels,
	}
	s.at = Start(b)
	s.beginDocument(s.at)
	for s.at < len(b) && (forced || !s.unclosed && !s.evidence.isHopeless()) {
		s.readLine()
	}
	s.finish()
	s.evidence.Unclosed = s.unclosed
	return &Tree{Text: b, Parts: s.parts, Places: s.places, Documents: s.docs, Evidence: s.evidence}
}

// Start returns the offset after a byte order mark.
func Start(b []byte) int { return len(b) - len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))) }

// IsScalar reports whether a text of one document is not a collection, judging by
// its first line that is not a comment.
func IsScalar(b []byte) bool {
	l := lexer{b: b}
	for at := Start(b); at < len(b); at = lines.End(b, at) {
		p := skipSpaces(b, at)
		switch {
		case isEOL(b, p), b[p] == '\t' && isBlank(b, p):
		case b[p] == '#', b[p] == '{' && isTemplate(b, p), b[p] == '%' && p == at:
		case opensAction(b, p):
			if at = actionEnd(b, p); at < 0 {
				return true
			}
			if !isEnd(b, skipBlanks(b, at)) {
				return false
			}
		case b[p] == '\t':
			return false // not valid here; a collection may begin on the next line
		default:
			return l.readToken(p).is == scalar && !isEnd(b, skipProperties(b, p))
		}
	}
	return false
}

// scanner holds the state between two lines.
type scanner struct {
	lexer
	nodeList
	at       int          // offset of the next line
	open     []collection // block collections that are open, outermost first
	state    state        // see state
	doc      int32        // node of the current document
	docs     int
	lead     int // offset of the comments above the next node, -1 for none
	leadCol  int
	head     int // offset where the first part inside the last entry has to begin so that it contains everything but structure; -1: on its own line
	levels   int // of collections; nodes in deeper ones are not noted
	evidence Evidence
}

// state determines the valid content of lines that are indented deeper than the
// innermost collection.
type state uint8

const (
	pending state = iota // the value of the last entry, or of the document
	running              // more of a plain scalar, or of a complex key
	closed
)

// readLine reads the line at s.at and the rest of its value.
func (s *scanner) readLine() {
	from := s.at
	p := skipSpaces(s.b, from)
	if isEOL(s.b, p) || s.b[p] == '\t' && isBlank(s.b, p) {
		s.at = lines.End(s.b, p)
		return
	}
	switch c := s.b[p]; {
	case c == trailer && isFilled(s.b, p), c == '{' && isTemplate(s.b, p) && !s.isEmpty() && !leads(s.b, p):
		s.readTrailer(from)
	case c == '#' || c == '{' && isTemplate(s.b, p):
		s.readComment(from, p)
	case p == from && (c == '-' || c == '.') && IsMark(s.b[p:]):
		s.readMark(from)
	case p == from && c == '%' && s.isEmpty():
		s.readComment(from, p)
	case s.state == running && p-from > int(s.column()):
		s.continueScalar(p)
	case c == '\t':
		s.skipOdd(from)
	case !s.readUsualLine(from, p):
		s.readNode(from, p)
	}
}

// column returns the column of the innermost collection, -1 outside of all.
func (s *scanner) column() int32 {
	if len(s.open) == 0 {
		return -1
	}
	return s.open[len(s.open)-1].col
}

// isEmpty reports whether the document has no node yet.
func (s *scanner) isEmpty() bool { return len(s.open) == 0 && s.state == pending }

// readComment reads a line that belongs to the next node, unless that is indented
// less.
func (s *scanner) readComment(from, p int) {
	if col := p - from; s.lead < 0 || col < s.leadCol {
		s.lead, s.leadCol = from, col
	}
	s.addToHead(from)
	if s.state == running {
		s.state = closed
	}
	s.at = lines.End(s.b, p)
}

// readTrailer reads a line of a template that belongs to the last entry.
func (s *scanner) readTrailer(from int) {
	s.addToHead(from)
	if s.state == running {
		s.state = closed
	}
	s.at = lines.End(s.b, from)
}

// addToHead notes that the line at from is more than structure and precedes the
// first part of the pending value.
func (s *scanner) addToHead(from int) {
	if s.state == pending && s.head < 0 {
		s.head = from
	}
}

// skipOdd skips a line that YAML does not allow here.
func (s *scanner) skipOdd(from int) {
	s.evidence.Odd++
	s.addToHead(from)
	s.at = lines.End(s.b, from)
}

// continueScalar reads another line of a plain scalar.
func (s *scanner) continueScalar(p int) {
	s.evidence.more++
	end, colon := plainEnd(s.b, p)
	if colon && !s.hasComplexKey() {
		s.evidence.Odd++
	}
	s.at = lines.End(s.b, end)
}
