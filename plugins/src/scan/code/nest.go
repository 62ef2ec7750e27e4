package code

import "bytes"

// nest gives a line of a language of layout its depth; false if it was read.
func (x *lexer) nest(width int) bool {
	b := x.b
	if open := x.v.block[0]; width == 0 && open != "" && open[0] == '\n' && bytes.HasPrefix(b[x.at:], []byte(open[1:])) {
		x.note = x.at
		if end := bytes.Index(b[x.at:], []byte(x.v.block[1])); end >= 0 {
			x.at += end + 1
			x.at = x.lineEnd()
		} else {
			x.at = len(b)
		}
		x.after, x.cur.depth = x.at, -1
		return true
	}
	if x.depth > 0 { // a comment, too, belongs to what is in the brackets
		x.cur.depth = int16(min(len(x.columns)+x.depth, 1<<14))
		return true
	}
	if x.commented(x.at) { // its depth is that of what it stands above
		x.cur.depth = -1 - int16(min(width, 1<<14))
		return true
	}
	if n := len(x.lines); n > 0 && x.lines[n-1].last == '\\' && x.cur.flags&gap == 0 {
		x.cur.depth = int16(min(len(x.columns)+1, 1<<14))
		return true
	}
	for n := len(x.columns); n > 0 && int(x.columns[n-1]) >= width; n-- {
		x.columns = x.columns[:n-1]
	}
	x.cur.depth = int16(min(len(x.columns), 1<<14))
	if n := len(x.lines); n > 0 && x.lines[n-1].depth < 0 {
		x.layoutComments(n, x.cur.depth, width)
	}
	if len(x.columns) < 1<<14 {
		x.columns = append(x.columns, int32(width))
	}
	return true
}

// layoutComments gives the comments above line n their depth: that of the line,
// or if they are indented deeper, of the one before them.
func (x *lexer) layoutComments(n int, depth int16, width int) {
	if !x.v.layout {
		return
	}
	first := n
	for first > 0 && x.lines[first-1].depth < 0 {
		first--
	}
	above := int16(0)
	if first > 0 {
		above = x.lines[first-1].depth
	}
	deeper := true
	for i := first; i < n; i++ {
		if deeper = deeper && int(-1-x.lines[i].depth) > width; deeper {
			x.lines[i].depth = max(above, depth)
		} else {
			x.lines[i].depth = depth
		}
	}
}
