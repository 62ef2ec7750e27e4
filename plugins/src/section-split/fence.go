package sectionsplit

import (
	"bytes"
	"sort"

	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

// minFenced is the least size of fenced code that becomes a piece, in bytes.
const minFenced = 1000

// addLeaf adds a piece without headings. Plain text larger than a leaf is split
// into paragraphs.
func (o *outliner) addLeaf(p piece) {
	if o.doc.Plain && int(p.end-p.start) > o.config.leafSize {
		o.addParagraphs(o.add(p))
		return
	}
	o.addFenced(p)
}

// addFenced adds a piece and the pieces that cutting it at large fences yields.
func (o *outliner) addFenced(p piece) {
	at := o.add(p)
	for _, inner := range cutFences(o.b, o.doc, &o.pieces[at], at) {
		o.add(inner)
	}
}

// addParagraphs adds the paragraphs of a piece of plain text. The first one includes
// the heading.
func (o *outliner) addParagraphs(at int) {
	p, blocks := o.pieces[at], o.doc.Blocks
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i] >= p.start })
	if p.kind == headingPiece {
		text := o.doc.Headings[p.from].End
		for i < len(blocks) && blocks[i] < text {
			i++
		}
	}
	start, n := p.start, 0
	for ; i < len(blocks) && blocks[i] < p.end; i++ {
		end := p.end
		if i+1 < len(blocks) {
			end = min(end, blocks[i+1])
		}
		o.addFenced(piece{start: start, end: end, parent: int32(at), kind: paragraphPiece, from: int32(o.number.Line(int(blocks[i])))})
		start, n = end, n+1
	}
	o.pieces[at].split = n > 0
}

// cutFences returns the pieces of p if it contains large fences: the text before the
// code, the code, and the text after it. Fence lines belong to the text. at is the
// index of p. cut sets p.cut.
func cutFences(b []byte, doc *markdown.Doc, p *piece, at int) (pieces []piece) {
	if p.end-p.start < minFenced {
		return nil
	}
	from := p.start
	text := func(end int32) {
		if len(bytes.TrimSpace(b[from:end])) == 0 {
			return
		}
		q := piece{start: from, end: end, parent: int32(at), kind: textPiece}
		if from == p.start {
			q.kind = openingPiece
		}
		pieces = append(pieces, q)
	}
	first := sort.Search(len(doc.Fences), func(i int) bool { return doc.Fences[i].Start >= p.start })
	for i := first; i < len(doc.Fences) && doc.Fences[i].End <= p.end; i++ {
		code := doc.Fences[i].Code
		if code.End-code.Start < minFenced {
			continue
		}
		text(code.Start)
		pieces = append(pieces, piece{start: code.Start, end: code.End, parent: int32(at), kind: codePiece, from: int32(i)})
		from = code.End
	}
	if len(pieces) > 0 {
		p.cut = true
		text(p.end)
	}
	return pieces
}
