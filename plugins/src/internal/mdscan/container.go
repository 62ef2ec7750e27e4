package mdscan

// container is an outermost block quote or list item. What it holds is not the
// document's, so only two things matter: which lines belong to it, and whether
// the last of them left a paragraph open that a lazy line may go on with.
// The zero container is none.
type container struct {
	quote bool
	item  int // columns a line of the list item is indented by
	para  bool
	fence fence
	empty bool // the item has no text yet
}

func (c *container) open() bool { return c.quote || c.item > 0 }

// enter returns the container that l begins, if it does. para says that a
// paragraph is open, which not every list item may interrupt.
func enter(l line, para bool) container {
	if l.text[0] == '>' {
		c := container{quote: true}
		c.hold(unquoted(l))
		return c
	}
	it := listItem(l)
	if it.width == 0 || para && !it.from1 {
		return container{}
	}
	c := container{item: l.indent + it.width, empty: len(it.text) == 0}
	c.hold(line{text: it.text})
	return c
}

// holds reports whether l, which is not blank, belongs to the container, and
// takes note of what it holds.
func (c *container) holds(l line) bool {
	switch {
	case c.quote && l.indent < 4 && l.text[0] == '>':
		c.hold(unquoted(l))
		return true
	case c.item > 0 && l.indent >= c.item:
		c.empty = false
		l.indent -= c.item
		c.hold(l)
		return true
	}
	return c.open() && c.para && lazy(l)
}

// blank takes note of a blank line: it ends a quote, but not a list item,
// unless that has not even begun.
func (c *container) blank() {
	c.para = false
	if c.quote || c.empty {
		*c = container{}
	}
}

// hold takes note of a line inside the container.
func (c *container) hold(l line) {
	if c.fence.n > 0 {
		if c.fence.closes(l.text) {
			c.fence = fence{}
		}
		return
	}
	for len(l.text) > 0 && l.indent < 4 && starts[l.text[0]]&(atQuote|atItem) != 0 { // containers inside this one
		if l.text[0] == '>' {
			l = unquoted(l)
			continue
		}
		it := listItem(l)
		if it.width == 0 || rule(l.text) {
			break
		}
		l = line{text: it.text}
	}
	if l.blank() || l.indent >= 4 {
		c.para = c.para && !l.blank()
		return
	}
	if starts[l.text[0]] == 0 {
		c.para = true
		return
	}
	c.fence = openFence(l.text)
	level, _, _ := atx(l.text)
	c.para = c.fence.n == 0 && level == 0 && !rule(l.text) && !(c.para && underline(l.text) > 0) &&
		!openHTML(l.text, c.para).open()
}

// lazy reports whether l can go on with a paragraph from outside the container
// that the paragraph is in: only if it begins no block of its own. What may not
// interrupt a paragraph may still begin a list out here.
func lazy(l line) bool {
	if l.indent >= 4 || starts[l.text[0]] == 0 {
		return true
	}
	level, _, _ := atx(l.text)
	return level == 0 && !rule(l.text) && openFence(l.text).n == 0 && l.text[0] != '>' &&
		listItem(l).width == 0 && !openHTML(l.text, true).open()
}

// unquoted takes the mark of a block quote off l.
func unquoted(l line) line {
	rest := l.text[1:]
	text, n := indented(rest, l.indent+1)
	return line{start: l.start, end: l.end, text: text, indent: max(0, n-1)}
}
