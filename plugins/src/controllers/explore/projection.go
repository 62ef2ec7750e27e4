package explore

import (
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// projection builds JSON from parts of a content within a size limit. At the limit it
// stops, closes open containers and notes the omitted children.
type projection struct {
	*answer
	b      stage.Buf
	room   int
	pieces []piece
	full   bool
}

// piece is text of this package or a span of the content.
type piece struct {
	words string
	at    stage.Span
}

func (p *projection) addText(s string) {
	p.room -= len(s)
	p.pieces = append(p.pieces, piece{words: s})
}

// addSpan adds a span.
func (p *projection) addSpan(start, end int) {
	p.room -= end - start
	p.pieces = append(p.pieces, piece{at: stage.Span{Start: start, End: end}})
}

// mark is a state that back restores.
type mark struct{ pieces, room int }

func (p *projection) save() mark { return mark{len(p.pieces), p.room} }

func (p *projection) restore(m mark) { p.pieces, p.room = p.pieces[:m.pieces], m.room }

// write writes all pieces to the answer.
func (p *projection) write() {
	for _, piece := range p.pieces {
		if piece.words != "" {
			p.writeText(piece.words)
		} else {
			p.writeSpan(p.b, piece.at.Start, piece.at.End)
		}
	}
}

// addValue adds a value completely, or as much of it as fits.
func (p *projection) addValue(v value, depth int) bool {
	switch {
	case v.at.Len() <= p.room:
		p.addSpan(v.at.Start, v.at.End)
		return true
	case !v.isContainer() || depth == maxDepth:
		p.noteMissing(v)
		return false
	}
	return p.addChildren(v, func(c child) bool {
		return p.addMember(c, func() bool { return p.addValue(v.child(c), depth+1) })
	})
}

// addChildren writes a container with the children for which take returns true, and
// reports whether there are any.
func (p *projection) addChildren(v value, take func(child) bool) bool {
	brackets := "{}"
	if v.kind() == stage.KindArray {
		brackets = "[]"
	}
	p.addText(brackets[:1])
	p.room--
	taken, seen := 0, 0
	v.each(func(c child) bool {
		if p.full {
			return false
		}
		seen++
		mark := p.save()
		if taken > 0 {
			p.addText(",")
		}
		if take(c) && p.room >= 0 {
			taken++
			return true
		}
		if p.full = p.full || p.room < 0; p.full {
			seen--
		}
		p.restore(mark)
		return !p.full
	})
	if n := v.len(); p.full && seen < n {
		p.addNote(formatPath(v.path) + ": the first " + strconv.Itoa(seen) + " of " + strconv.Itoa(n) + " children; name fields that are smaller, or elements")
	}
	p.room++
	p.addText(brackets[1:])
	return taken > 0
}

// addMember writes a child, after its key if it has one.
func (p *projection) addMember(c child, write func() bool) bool {
	if c.keyAt.Len() > 0 {
		p.addSpan(c.keyAt.Start, c.keyAt.End)
		p.addText(":")
	}
	return write()
}

// noteMissing notes that a value did not fit.
func (p *projection) noteMissing(v value) {
	if p.room < maxAnswer/8 {
		p.room = -1 // nearly full: later values are unlikely to fit
	}
	p.addNote(formatPath(v.path) + ": " + strconv.Itoa(v.at.Len()) + " bytes, left out; proxy_search finds places in it")
}

func formatPath(path string) string {
	if path == "" {
		return "$"
	}
	return path
}
