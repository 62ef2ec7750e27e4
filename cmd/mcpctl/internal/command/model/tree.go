package model

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/host/flow"
)

// maxTreeLines bounds a tree: level by level it is opened as far as they reach.
const maxTreeLines = 300

// plainWidth is the width of a tree without a terminal.
const plainWidth = 100

// node is a section in the tree that is shown.
type node struct {
	offer
	parts  []*node
	closed bool // it has parts that are not shown
}

// grow opens the sections that an answer offers, down to depth levels, the upper levels
// first: when the lines are used up, the deepest sections stay closed.
//
// Errors: those of read.
func grow(first flow.Answer, depth, lines int, read func(section string) (flow.Answer, error)) ([]*node, error) {
	top := nodes(first)
	level, shown := top, len(top)
	for ; depth > 1 && len(level) > 0; depth-- {
		var next []*node
		for _, n := range level {
			a, err := read(n.id)
			if err != nil {
				return nil, err
			}
			parts := nodes(a)
			if n.closed = len(parts) > 0 && shown+len(parts) > lines; n.closed {
				continue
			}
			n.parts, shown = parts, shown+len(parts)
			next = append(next, parts...)
		}
		level = next
	}
	return top, nil
}

func nodes(a flow.Answer) []*node {
	var list []*node
	for _, o := range offers(a) {
		list = append(list, &node{offer: o})
	}
	return list
}

// closedIn counts the nodes that have parts which are not shown for want of lines.
func closedIn(list []*node) int {
	n := 0
	for _, c := range list {
		n += closedIn(c.parts)
		if c.closed {
			n++
		}
	}
	return n
}

// treeText draws nodes below each other, sizes in a column at the right.
func treeText(io *iostreams.Streams, list []*node) string {
	width := plainWidth
	if io.OutWidth > 0 {
		width = io.OutWidth
	}
	d := &drawing{io: io, width: width}
	d.draw(list, "", "")
	return d.b.String()
}

type drawing struct {
	io    *iostreams.Streams
	width int
	b     strings.Builder
}

func (d *drawing) draw(list []*node, above, indent string) {
	for i, n := range list {
		branch, below := "├─ ", "│  "
		if i == len(list)-1 {
			branch, below = "└─ ", "   "
		}
		d.line(indent+branch, continued(n.id, above), n)
		d.draw(n.parts, n.id, indent+below)
	}
}

// continued returns an id that is printed below another one: only its new part if it
// begins with the other one.
func continued(id, above string) string {
	rest, ok := strings.CutPrefix(id, above)
	if ok && above != "" && rest != "" && (rest[0] == '/' || rest[0] == ',') {
		return "…" + rest
	}
	return id
}

// line returns the line of one node: the part of its id that differs from the line above,
// and as much of the title as fits.
func (d *drawing) line(indent, id string, n *node) {
	id, size := iostreams.Line(id), n.size
	if n.closed {
		size = "+ " + size
	}
	room := d.width - utf8.RuneCountInString(indent+id+size) - 3
	title := cut(iostreams.Line(n.title), room)
	gap := max(1, room-utf8.RuneCountInString(title)+1)
	fmt.Fprintf(&d.b, "%s%s  %s%s%s\n", d.io.Paint(iostreams.Dim, indent), d.io.Paint(iostreams.Cyan, id), title,
		strings.Repeat(" ", gap), d.io.Paint(iostreams.Dim, size))
}

// cut shortens text to n characters and marks the cut.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	if n < 2 {
		return ""
	}
	return strings.TrimRight(string([]rune(text)[:n-1]), " ") + "…"
}
