package markdown

// container is an outermost block quote or list item. Its headings are not those of the
// document, so the scanner only needs to know which lines belong to it. For that it has to
// know whether a paragraph is open that a lazy line may continue. The zero value means no
// container.
type container struct {
	quote      bool
	itemIndent int // indent of the lines of the list item in columns
	paragraph  bool
	fence      fence
	empty      bool // the item has no text yet
}

func (c *container) isOpen() bool { return c.quote || c.itemIndent > 0 }

// begin opens a container if t begins one. para reports whether a paragraph is open,
// because not every list item may interrupt one.
func (c *container) begin(t []byte, indent int, para bool) bool {
	if t[0] == '>' {
		c.quote = true
		c.addContent(cutQuoteMark(t, indent))
		return true
	}
	width, text := parseItem(t, indent)
	if width == 0 || para && !canInterrupt(t) {
		return false
	}
	c.itemIndent, c.empty = indent+width, len(text) == 0
	c.addContent(text, 0)
	return true
}

// addLine adds a line that is not blank if it belongs to the container. It reports whether
// it does.
func (c *container) addLine(t []byte, indent int) bool {
	switch {
	case c.itemIndent > 0 && indent >= c.itemIndent:
		c.empty = false
		c.addContent(t, indent-c.itemIndent)
		return true
	case c.quote && indent < 4 && t[0] == '>':
		c.addContent(cutQuoteMark(t, indent))
		return true
	}
	return c.paragraph && isLazy(t, indent)
}

// addBlankLine adds a blank line. It ends a quote, and a list item without text.
func (c *container) addBlankLine() {
	c.paragraph = false
	if c.quote || c.empty {
		*c = container{}
	}
}

// addContent adds the content of a line, which is indented by indent columns inside the
// container.
func (c *container) addContent(t []byte, indent int) {
	if c.fence.n > 0 {
		if c.fence.isClosedBy(t) {
			c.fence = fence{}
		}
		return
	}
	for len(t) > 0 && indent < 4 && classes[t[0]]&(atQuote|atItem) != 0 { // nested containers
		if t[0] == '>' {
			t, indent = cutQuoteMark(t, indent)
			continue
		}
		width, text := parseItem(t, indent)
		if width == 0 || isThematicBreak(t) {
			break
		}
		t, indent = text, 0
	}
	switch {
	case len(t) == 0:
		c.paragraph = false
	case indent >= 4: // indented code, or a line of a paragraph
	case classes[t[0]] == 0:
		c.paragraph = true
	default:
		c.fence = parseFence(t)
		c.paragraph = !beginsBlock(t, c.paragraph) && !(c.paragraph && underlineLevel(t) > 0)
	}
}

// isLazy reports whether a line outside of a container can continue a paragraph inside
// it: the line begins no block. Any list item begins one here, even if it could not
// interrupt a paragraph.
func isLazy(t []byte, indent int) bool {
	if indent >= 4 || classes[t[0]] == 0 {
		return true
	}
	return t[0] != '>' && itemMarkSize(t) == 0 && !beginsBlock(t, true)
}

// beginsBlock reports whether t begins a block that contains no other blocks: a heading, a
// thematic break, fenced code or an HTML block. para reports whether a paragraph is open.
func beginsBlock(t []byte, para bool) bool {
	return isATX(t) || isThematicBreak(t) || parseFence(t).n > 0 || parseHTMLStart(t, para).isOpen()
}

// isATX reports whether t is an ATX heading.
func isATX(t []byte) bool {
	level, _, _ := parseATX(t)
	return level > 0
}

// cutQuoteMark removes the mark of a block quote from a line.
func cutQuoteMark(t []byte, indent int) (text []byte, columns int) {
	text, n := cutIndent(t[1:], indent+1)
	return text, max(0, n-1)
}
