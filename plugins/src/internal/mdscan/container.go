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

// enter opens the container that a line begins, if it does. para says that a
// paragraph is open, which not every list item may interrupt.
func (c *container) enter(t []byte, indent int, para bool) bool {
	if t[0] == '>' {
		c.quote = true
		c.hold(unquoted(t, indent))
		return true
	}
	width, text := item(t, indent)
	if width == 0 || para && !interrupts(t) {
		return false
	}
	c.item, c.empty = indent+width, len(text) == 0
	c.hold(text, 0)
	return true
}

// holds reports whether a line, which is not blank, belongs to the container, and
// takes note of what it holds.
func (c *container) holds(t []byte, indent int) bool {
	switch {
	case c.item > 0 && indent >= c.item:
		c.empty = false
		c.hold(t, indent-c.item)
		return true
	case c.quote && indent < 4 && t[0] == '>':
		c.hold(unquoted(t, indent))
		return true
	}
	return c.para && lazy(t, indent)
}

// blank takes note of a blank line: it ends a quote, but not a list item,
// unless that has not even begun.
func (c *container) blank() {
	c.para = false
	if c.quote || c.empty {
		*c = container{}
	}
}

// hold takes note of a line inside the container, which is indented by so many
// columns there.
func (c *container) hold(t []byte, indent int) {
	if c.fence.n > 0 {
		if c.fence.closes(t) {
			c.fence = fence{}
		}
		return
	}
	for len(t) > 0 && indent < 4 && starts[t[0]]&(atQuote|atItem) != 0 { // containers inside this one
		if t[0] == '>' {
			t, indent = unquoted(t, indent)
			continue
		}
		width, text := item(t, indent)
		if width == 0 || rule(t) {
			break
		}
		t, indent = text, 0
	}
	switch {
	case len(t) == 0:
		c.para = false
	case indent >= 4: // indented code, or more of a paragraph
	case starts[t[0]] == 0:
		c.para = true
	default:
		c.fence = openFence(t)
		c.para = c.fence.n == 0 && !heading(t) && !rule(t) && !(c.para && underline(t) > 0) && !openHTML(t, c.para).open()
	}
}

// lazy reports whether a line can go on with a paragraph from outside the
// container that the paragraph is in: only if it begins no block of its own. What
// may not interrupt a paragraph may still begin a list out here.
func lazy(t []byte, indent int) bool {
	if indent >= 4 || starts[t[0]] == 0 {
		return true
	}
	return t[0] != '>' && itemMark(t) == 0 && !heading(t) && !rule(t) && openFence(t).n == 0 && !openHTML(t, true).open()
}

// heading reports whether t is an ATX heading.
func heading(t []byte) bool {
	level, _, _ := atx(t)
	return level > 0
}

// unquoted takes the mark of a block quote off a line.
func unquoted(t []byte, indent int) (text []byte, columns int) {
	text, n := indented(t[1:], indent+1)
	return text, max(0, n-1)
}
