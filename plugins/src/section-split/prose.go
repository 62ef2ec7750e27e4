package sectionsplit

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

// piece is a planned section of Markdown or prose. A text may have tens of
// thousands of pieces, so they contain no strings: a name is read from the text
// when its section is added.
type piece struct {
	start, end int32
	parent     int32 // piece, -1 at the top; parents come first
	from       int32 // depends on kind
	first      int32 // end of the first piece if several are joined, otherwise 0
	kind       pieceKind
	depth      int8
	split      bool // contains headings
	cut        bool // contains pieces cut at fences
}

// pieceKind is the kind of a piece, which determines its name.
type pieceKind uint8

const (
	headingPiece   pieceKind = iota // a heading and its body; from is the index of the heading
	introPiece                      // text before the first nested heading; from is the start of its body after the heading
	paragraphPiece                  // from is its line
	openingPiece                    // text before the first fence that is a piece
	textPiece                       // between such fences
	codePiece                       // code of a fence; from is the index of the fence
	frontPiece                      // front matter
)

// hasChildren reports whether the piece contains other pieces.
func (p *piece) hasChildren() bool { return p.split || p.cut }

// splitProse plans a section for each heading with its body, nested by level, or
// for each paragraph if the text has no headings.
func splitProse(j *job) outline {
	doc := j.found.Doc
	if len(doc.Headings) == 0 && j.config.splitOn != "blank-lines" {
		doc = doc.WithPlainHeadings(j.b)
	}
	var pieces []piece
	count := caption.Count(len(doc.Headings), "heading")
	if len(doc.Headings) > 0 && j.config.splitOn != "blank-lines" {
		pieces = splitHeadings(j.b, doc, j.config)
	} else if j.config.splitOn != "headers" {
		pieces = splitParagraphs(j.b, doc)
		count = caption.Count(len(pieces), "paragraph")
	}
	return j.planParts(newDoc(j.b, doc, joinSmall(pieces, j.config.join), count))
}

// newDoc returns the pieces of a text as parts.
func newDoc(b []byte, of *markdown.Doc, pieces []piece, count string) *part.Doc {
	doc := &part.Doc{Count: count, Parts: make([]part.Part, len(pieces))}
	for i := range pieces {
		p := &pieces[i]
		doc.Parts[i] = part.Part{Start: p.start, End: p.end, Parent: p.parent}
		if p.kind == codePiece || p.kind == frontPiece {
			doc.Parts[i].Kind = part.Text
		}
	}
	c := namer{b: b, doc: of}
	doc.Name = func(i int, n *part.Name) { c.name(&pieces[i], n) }
	return doc
}

// outliner turns the headings of a document into pieces.
type outliner struct {
	b      []byte
	doc    *markdown.Doc
	config config
	number *lines.Counter // counts lines for the ids of paragraphs
	pieces []piece
	open   []int32 // pieces that contain the next heading, outermost first
	level  []int8  // heading levels of the pieces in open
	bare   bool    // only blank lines separate the previous heading from the next, whose piece includes both
}

// splitHeadings returns a piece for every heading that is not inside a leaf, and an
// intro for the text before the first heading of each piece that is split.
func splitHeadings(b []byte, doc *markdown.Doc, config config) []piece {
	o := &outliner{b: b, doc: doc, config: config, number: lines.NewCounter(b)}
	if doc.Front.End > 0 {
		o.add(frontMatter(doc))
	}
	o.addIntro(doc.Front.End, doc.Headings[0].Start, -1, 0)
	for i := range doc.Headings {
		o.addHeading(i)
	}
	return o.pieces
}

func frontMatter(doc *markdown.Doc) piece {
	return piece{start: doc.Front.Start, end: doc.Front.End, parent: -1, kind: frontPiece}
}

func (o *outliner) add(p piece) int {
	if p.parent >= 0 {
		p.depth = o.pieces[p.parent].depth + 1
	}
	if len(o.pieces) == cap(o.pieces) {
		o.pieces = grow.Slice(o.pieces, int(p.start), len(o.b), len(o.b))
	}
	o.pieces = append(o.pieces, p)
	return len(o.pieces) - 1
}

// addIntro adds the text before the first heading inside a piece. heading is the
// size of the piece's own heading, which is part of the intro. If there is only
// the heading, the first piece inside includes it instead.
func (o *outliner) addIntro(start, end, parent, heading int32) {
	if o.bare = parent >= 0 && len(bytes.TrimSpace(o.b[start+heading:end])) == 0; o.bare {
		return
	}
	text := bytes.TrimPrefix(o.b[start:end], []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) > 0 {
		start = end - int32(len(text))
		o.addLeaf(piece{start: start, end: end, parent: parent, kind: introPiece, from: start + heading})
	}
}

// addHeading adds the piece of heading i unless it is inside a leaf.
func (o *outliner) addHeading(i int) {
	h := &o.doc.Headings[i]
	for n := len(o.level); n > 0 && o.level[n-1] >= h.Level; n-- {
		o.open, o.level = o.open[:n-1], o.level[:n-1]
	}
	parent, depth := int32(-1), 1
	if n := len(o.open); n > 0 {
		parent = o.open[n-1]
		if !o.pieces[parent].split {
			return
		}
		depth = int(o.pieces[parent].depth) + 2
	}
	p := piece{start: h.Start, end: o.sectionEnd(i), parent: parent, kind: headingPiece, from: int32(i)}
	if o.bare {
		p.start, o.bare = o.pieces[parent].start, false
	}
	inner := i+1 < len(o.doc.Headings) && o.doc.Headings[i+1].Start < p.end
	p.split = inner && int(p.end-p.start) > o.config.leafSize && depth < o.config.maxDepth
	at := int32(len(o.pieces))
	if inner {
		o.add(p)
	} else {
		o.addLeaf(p)
	}
	o.open, o.level = append(o.open, at), append(o.level, h.Level)
	if p.split {
		o.addIntro(p.start, o.doc.Headings[i+1].Start, at, h.End-p.start)
	}
}

// sectionEnd returns the end of the section of heading i: the start of the next heading
// of the same or a higher level.
func (o *outliner) sectionEnd(i int) int32 {
	level := o.doc.Headings[i].Level
	for k := i + 1; k < len(o.doc.Headings); k++ {
		if next := &o.doc.Headings[k]; next.Level <= level {
			return next.Start
		}
	}
	return int32(len(o.b))
}

// splitParagraphs returns a piece for each block between blank lines.
func splitParagraphs(b []byte, doc *markdown.Doc) []piece {
	pieces := make([]piece, 0, len(doc.Blocks)+1)
	if doc.Front.End > 0 {
		pieces = append(pieces, frontMatter(doc))
	}
	number := lines.NewCounter(b)
	for i, start := range doc.Blocks {
		end := int32(len(b))
		if i+1 < len(doc.Blocks) {
			end = doc.Blocks[i+1]
		}
		at := len(pieces)
		pieces = append(pieces, piece{start: start, end: end, parent: -1, kind: paragraphPiece, from: int32(number.Line(int(start)))})
		pieces = append(pieces, cutFences(b, doc, &pieces[at], at)...)
	}
	return pieces
}

// joinSmall merges adjacent leaves of one parent while they are smaller than size. A
// merged piece keeps the name of the first.
func joinSmall(pieces []piece, size int) []piece {
	if size <= 0 {
		return pieces
	}
	moved := make([]int32, len(pieces))
	out := pieces[:0:0]
	for i, p := range pieces {
		if p.parent >= 0 {
			p.parent = moved[p.parent]
		}
		if n := len(out) - 1; n >= 0 && !p.hasChildren() && !out[n].hasChildren() && out[n].parent == p.parent &&
			out[n].end == p.start && int(out[n].end-out[n].start) < size {
			if out[n].first == 0 {
				out[n].first = p.start
			}
			out[n].end = p.end
		} else {
			out = append(out, p)
		}
		moved[i] = int32(len(out) - 1)
	}
	return out
}
