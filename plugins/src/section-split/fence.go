package sectionsplit

import (
	"bytes"
	"sort"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/mdscan"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// minFenced is the size of the least fenced code that is a piece of its own.
const minFenced = 1000

// leaf adds a piece that holds no headings, and what it is cut into at large
// fences: a part that is too large for a leaf is read by those.
func (o *outliner) leaf(p piece) {
	at := o.add(p)
	for _, inner := range cut(o.b, o.doc, &o.pieces[at], at) {
		o.add(inner)
	}
}

// cut are the pieces of p, which will stand at the position "at", where it holds
// large fences: the text up to the code, the code, and what follows. The lines of
// the marks go with the text. It notes in p that it is cut.
func cut(b []byte, doc *mdscan.Doc, p *piece, at int) (pieces []piece) {
	first := sort.Search(len(doc.Fences), func(i int) bool { return int(doc.Fences[i].Start) >= p.start })
	from := p.start
	text := func(end int) {
		if len(bytes.TrimSpace(b[from:end])) == 0 {
			return
		}
		q := piece{start: from, end: end, parent: at, title: lead(b[from:end]), id: "text"}
		if from == p.start {
			q.id = "intro"
		}
		pieces = append(pieces, q)
	}
	for _, f := range doc.Fences[first:] {
		if int(f.End) > p.end {
			break
		}
		code := b[f.Code.Start:f.Code.End]
		if len(code) < minFenced {
			continue
		}
		text(int(f.Code.Start))
		pieces = append(pieces, fenced(code, b[f.Info.Start:f.Info.End], int(f.Code.Start), at))
		from = int(f.Code.End)
	}
	if len(pieces) > 0 {
		p.cut = true
		text(p.end)
	}
	return pieces
}

// fenced is the piece of code in a fence that is said to be of a language.
func fenced(code, info []byte, start, parent int) piece {
	p := piece{start: start, end: start + len(code), parent: parent, kind: part.Text, id: "code"}
	p.title = caption.Of(code[:min(len(code), 2*maxTitle)], 60)
	if end := bytes.IndexAny(info, " \t{,:"); end >= 0 {
		info = info[:end]
	}
	if len(info) > 0 && len(info) <= 20 {
		p.title = string(info) + ": " + p.title
		p.hint = "x." + string(info)
	}
	return p
}
