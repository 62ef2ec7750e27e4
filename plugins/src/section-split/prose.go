package sectionsplit

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/mdscan"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// piece is a section of Markdown or prose to be.
type piece struct {
	start, end int
	parent     int // piece, -1 at the top; parents come first
	depth      int
	title      string
	id         string // empty: the host makes it from the title
	split      bool   // headings lie in it
	cut        bool   // it is cut at fences
	kind       part.Kind
	hint       string // of a piece of another type: a file name
}

// holds reports whether other pieces lie in it.
func (p *piece) holds() bool { return p.split || p.cut }

// splitProse names headings with what stands below them, nested as their levels
// are, or paragraphs where there are no headings.
func splitProse(j *job) outline {
	doc := j.found.Doc
	var pieces []piece
	count := caption.Count(len(doc.Headings), "heading")
	if len(doc.Headings) > 0 && j.config.splitOn != "blank-lines" {
		pieces = headings(j.b, doc, j.config)
	} else if j.config.splitOn != "headers" {
		pieces = paragraphs(j.b, doc)
		count = caption.Count(len(pieces), "paragraph")
	}
	return j.outline(document(join(pieces, j.config.join), count))
}

// document are the pieces as parts.
func document(pieces []piece, count string) *part.Doc {
	doc := &part.Doc{Count: count, Parts: make([]part.Part, len(pieces))}
	for i, p := range pieces {
		doc.Parts[i] = part.Part{Start: int32(p.start), End: int32(p.end), Parent: int32(p.parent), Kind: p.kind}
	}
	doc.Name = func(i int, n *part.Name) {
		p := &pieces[i]
		n.ID, n.Title, n.Hint = append(n.ID, p.id...), append(n.Title, p.title...), append(n.Hint, p.hint...)
	}
	return doc
}

// outliner turns the headings of a document into pieces.
type outliner struct {
	b      []byte
	doc    *mdscan.Doc
	config config
	pieces []piece
	open   []int // pieces of the headings that hold the next one, outermost first
	level  []int // their levels
}

// headings makes a piece of every heading that is not inside a leaf, and of what
// stands before the first one in each piece that is split.
func headings(b []byte, doc *mdscan.Doc, config config) []piece {
	o := &outliner{b: b, doc: doc, config: config}
	start := 0
	if doc.Front.End > 0 {
		o.add(frontMatter(doc))
		start = int(doc.Front.End)
	}
	o.intro(start, int(doc.Headings[0].Start), -1, 0)
	for i := range doc.Headings {
		o.heading(i)
	}
	return o.pieces
}

// frontMatter is the block before the text, whose marks are those of YAML
// documents; that of TOML is not split.
func frontMatter(doc *mdscan.Doc) piece {
	return piece{start: int(doc.Front.Start), end: int(doc.Front.End), parent: -1, title: "front matter", id: "front-matter", kind: part.Text, hint: "x.yaml"}
}

func (o *outliner) add(p piece) int {
	if p.parent >= 0 {
		p.depth = o.pieces[p.parent].depth + 1
	}
	o.pieces = append(o.pieces, p)
	return len(o.pieces) - 1
}

// intro adds what stands before the first heading inside a piece. The piece's
// own heading, so many bytes, is part of it.
func (o *outliner) intro(start, end, parent, heading int) {
	text := bytes.TrimPrefix(o.b[start:end], []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) > 0 {
		o.leaf(piece{start: end - len(text), end: end, parent: parent, title: introTitle(text, heading), id: "intro"})
	}
}

// introTitle is the first line of the text below the heading, if there is text.
func introTitle(text []byte, heading int) string {
	if body := bytes.TrimSpace(text[heading:]); len(body) > 0 {
		text = body
	}
	return lead(text)
}

// lead is the start of a text as a title.
func lead(text []byte) string {
	text = text[:min(len(text), 200)]
	if s := caption.Of(mdscan.Title(text), 60); s != "" {
		return s
	}
	return caption.Of(text, 60)
}

// topics are the first headings of a text, or how it begins.
func topics(b []byte, doc *mdscan.Doc) string {
	var said []byte
	for _, h := range doc.Headings {
		if len(said) > maxTitle {
			break
		}
		if len(said) > 0 {
			said = append(said, ", "...)
		}
		said = caption.Append(said, mdscan.Title(b[h.Text.Start:h.Text.End]), maxTitle)
	}
	if len(said) == 0 {
		return lead(b)
	}
	return string(said)
}

// heading adds the piece of heading i unless it lies in a leaf.
func (o *outliner) heading(i int) {
	h := &o.doc.Headings[i]
	for n := len(o.level); n > 0 && o.level[n-1] >= h.Level; n-- {
		o.open, o.level = o.open[:n-1], o.level[:n-1]
	}
	parent := -1
	if n := len(o.open); n > 0 {
		if parent = o.open[n-1]; !o.pieces[parent].split {
			return
		}
	}
	end := o.end(i)
	p := piece{start: int(h.Start), end: end, parent: parent}
	p.title = caption.Of(mdscan.Title(o.b[h.Text.Start:h.Text.End]), 80)
	inner := i+1 < len(o.doc.Headings) && int(o.doc.Headings[i+1].Start) < end
	depth := 1
	if parent >= 0 {
		depth = o.pieces[parent].depth + 2
	}
	p.split = inner && end-p.start > o.config.leafSize && depth < o.config.maxDepth
	at := len(o.pieces)
	if inner {
		o.add(p)
	} else {
		o.leaf(p)
	}
	o.open, o.level = append(o.open, at), append(o.level, h.Level)
	if p.split {
		o.intro(p.start, int(o.doc.Headings[i+1].Start), at, int(h.End-h.Start))
	}
}

// end is where the section of heading i ends: at the next heading of its level
// or above.
func (o *outliner) end(i int) int {
	level := o.doc.Headings[i].Level
	for _, next := range o.doc.Headings[i+1:] {
		if next.Level <= level {
			return int(next.Start)
		}
	}
	return len(o.b)
}

// paragraphs makes a piece of everything between blank lines.
func paragraphs(b []byte, doc *mdscan.Doc) []piece {
	var pieces []piece
	line, counted := 1, 0
	starts := doc.Blocks
	if doc.Front.End > 0 {
		pieces = append(pieces, frontMatter(doc))
	}
	for i, start := range starts {
		end := len(b)
		if i+1 < len(starts) {
			end = int(starts[i+1])
		}
		line += bytes.Count(b[counted:start], []byte("\n"))
		counted = int(start)
		title := lead(b[start:end])
		pieces = append(pieces, piece{start: int(start), end: end, parent: -1, title: title, id: "L" + strconv.Itoa(line)})
		pieces = append(pieces, cut(b, doc, &pieces[len(pieces)-1], len(pieces)-1)...)
	}
	return pieces
}

// join puts neighbours together that are leaves of one parent and smaller than
// size. They go by the name of the first.
func join(pieces []piece, size int) []piece {
	if size <= 0 {
		return pieces
	}
	moved := make([]int, len(pieces))
	out := pieces[:0:0]
	for i, p := range pieces {
		if p.parent >= 0 {
			p.parent = moved[p.parent]
		}
		if n := len(out) - 1; n >= 0 && !p.holds() && !out[n].holds() && out[n].parent == p.parent &&
			out[n].end == p.start && out[n].end-out[n].start < size {
			out[n].end = p.end
		} else {
			out = append(out, p)
		}
		moved[i] = len(out) - 1
	}
	return out
}
