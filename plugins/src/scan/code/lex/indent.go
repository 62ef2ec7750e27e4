package lex

import "bytes"

// setIndentedDepth sets the depth of a line of an indented language, which begins at a
// column.
func (x *lexer) setIndentedDepth(column int) {
	b := x.b
	if open := x.v.BlockComment[0]; column == 0 && open != "" && open[0] == '\n' && bytes.HasPrefix(b[x.at:], []byte(open[1:])) {
		x.readLineBlock()
		return
	}
	if x.depth > 0 { // comments too belong to the content of the brackets
		x.line.Depth = int16(min(len(x.columns)+x.depth, maxDepth))
		return
	}
	if x.isComment(x.at) { // the line below it sets its depth
		x.line.Depth = -1 - int16(min(column, maxDepth))
		return
	}
	if n := len(x.lines); n > 0 && x.lines[n-1].Last == '\\' && x.line.Flags&Gap == 0 {
		x.line.Depth = int16(min(len(x.columns)+1, maxDepth))
		return
	}
	for n := len(x.columns); n > 0 && int(x.columns[n-1]) >= column; n-- {
		x.columns = x.columns[:n-1]
	}
	x.line.Depth = int16(min(len(x.columns), maxDepth))
	if n := len(x.lines); n > 0 && x.lines[n-1].Depth < 0 {
		x.setCommentDepth(n, x.line.Depth, column)
	}
	if len(x.columns) < maxDepth {
		x.columns = append(x.columns, int32(column))
	}
}

// readLineBlock reads a comment of whole lines, =begin to =end.
func (x *lexer) readLineBlock() {
	x.note = x.at
	if end := bytes.Index(x.b[x.at:], []byte(x.v.BlockComment[1])); end >= 0 {
		x.at = indexByte(x.b, x.at+end+1, '\n')
	} else {
		x.at = len(x.b)
	}
	x.noteEnd, x.line.Depth = x.at, -1
}

// setCommentDepth sets the depth of the comments above line n, which is nested at a depth and
// begins at a column: the depth of that line, or of the line before the comments if they
// are indented deeper.
func (x *lexer) setCommentDepth(n int, depth int16, column int) {
	if !x.v.Indented {
		return
	}
	first := n
	for first > 0 && x.lines[first-1].Depth < 0 {
		first--
	}
	above := int16(0)
	if first > 0 {
		above = x.lines[first-1].Depth
	}
	deeper := true
	for i := first; i < n; i++ {
		if deeper = deeper && int(-1-x.lines[i].Depth) > column; deeper {
			x.lines[i].Depth = max(above, depth)
		} else {
			x.lines[i].Depth = depth
		}
	}
}
