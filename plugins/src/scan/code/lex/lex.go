// Package lex splits source code into lines and finds how deep each is nested.
//
// Lines returns the lines that begin outside strings and comments. Strings, comments and
// brackets are read as the language writes them. There is no grammar: in a text that is
// not valid code some depths are wrong.
package lex

import (
	"bytes"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grow"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// Line is a line that begins outside strings and comments and is not blank. The lines
// to which a string or a comment extends belong to it.
type Line struct {
	Start int32 // offset in the text
	Code  int32 // offset of its first code, or of the comment if there is none
	Depth int16 // nesting depth where it begins
	Last  byte  // of its code
	Flags Flags
}

// Flags are properties of a line.
type Flags uint8

// The flags.
const (
	Gap       Flags = 1 << iota // follows a blank line
	Comment                     // contains no code
	Closes                      // begins with a closing bracket
	Directive                   // is for a preprocessor
)

// maxDepth is the largest depth of a line.
const maxDepth = 1 << 14

// lexer finds the lines of a text and their depth.
type lexer struct {
	b  []byte
	v  *language.Vocabulary
	at int
	marks

	lines    []Line
	line     Line // being read; Code is -1 until there is some
	note     int  // offset of its first comment, -1 if there is none
	noteEnd  int  // end of its last comment
	afterGap bool // it follows a blank line

	depth    int     // number of open brackets
	columns  []int32 // of an indented language: indentation of the open blocks
	branches []int32 // of directives: depth at each open #if
	holes    []int32 // of templates: depth at each open ${
	heredocs []int   // offsets of the heredoc marks in this line
	unclosed [8]int  // by quote: no string ends before this offset
	failed   int     // number of searches for a closing mark that found none
}

// Lines returns the lines of a text. It returns false if the text consists of line ends
// for the most part.
func Lines(b []byte, v *language.Vocabulary) ([]Line, bool) {
	x := &lexer{b: b, v: v, at: lines.Start(b), lines: make([]Line, 0, min(64+len(b)/32, 1024))}
	x.marks.init(v)
	for x.at < len(x.b) {
		if len(x.lines) > maxLines(x.b) {
			return nil, false
		}
		if x.readIndentation() {
			x.readContent()
		}
	}
	x.setCommentDepth(len(x.lines), 0, 0)
	return x.lines, true
}

// maxLines returns the most lines that a program of this size has: one in 4 bytes.
func maxLines(b []byte) int { return 1024 + len(b)/4 }

// readIndentation reads the start of a line. It returns false if it has read the whole line:
// it is blank, a directive, or nothing but a comment.
func (x *lexer) readIndentation() bool {
	b, start, width := x.b, x.at, 0
	at := start
	for ; at < len(b) && IsSpace(b[at]) && b[at] != '\n'; at++ {
		switch b[at] {
		case '\t':
			width += 8 - width%8
		case ' ':
			n := countBlanks(b, at)
			width += n
			at += n - 1
		}
	}
	if x.at = at; at == len(b) {
		return false
	}
	if b[at] == '\n' {
		x.at++
		x.afterGap = true
		return false
	}
	x.line, x.note = Line{Start: int32(start), Code: -1, Depth: int16(min(x.depth, maxDepth))}, -1
	x.noteEnd = 0
	if x.afterGap {
		x.line.Flags |= Gap
		x.afterGap = false
	}
	switch {
	case x.v.Indented:
		x.setIndentedDepth(width)
	case b[at] == '#' && x.v.Has(language.Directives):
		x.readDirective()
		return false
	case b[at] == '/' && at+1 < len(b) && b[at+1] == '/' && x.may['/']&mayComment != 0:
		x.line.Code, x.line.Flags = int32(at), x.line.Flags|Comment
		x.at = lines.End(b, at)
		x.addLine()
		return false
	case width == 0 && x.depth > 0:
		x.resync()
	}
	return true
}

// readContent reads the rest of a line, and the lines to which a string or comment in it
// extends. Half of the scan time is spent here. It reads eight bytes at a time, counting
// the brackets in them, up to the next byte that needs attention.
func (x *lexer) readContent() {
	b, t := x.b, &x.action
	if x.at < len(b) && t[b[x.at]] == 0 {
		x.line.Code = int32(x.at)
	}
	for at := x.at; at < len(b); {
		if at+8 <= len(b) && x.line.Code >= 0 {
			c := (*[8]byte)(b[at:])
			found := t[c[0]] | t[c[1]]<<1 | t[c[2]]<<2 | t[c[3]]<<3 | t[c[4]]<<4 | t[c[5]]<<5 | t[c[6]]<<6 | t[c[7]]<<7
			if found == 0 {
				at += 8
				continue
			}
			n := bits.TrailingZeros32(found&0xff | 1<<8) // bytes up to the first stop
			before := uint32(1)<<n - 1
			opened, closed := bits.OnesCount32(found>>8&before), bits.OnesCount32(found>>16&before)
			switch {
			case closed == 0, closed <= x.depth && len(x.holes) == 0:
				x.depth += opened - closed
				if at += n; n == 8 {
					continue
				}
			default:
				at += bits.TrailingZeros32(found | found>>8 | found>>16)
			}
		}
		x.at = at
		switch t[b[at]] {
		case actStop:
			if b[at] == '\n' {
				x.endLine(at)
				x.at++
				if len(x.heredocs) > 0 || x.rows && x.line.Last == ';' {
					x.readBelow()
				}
				return
			}
			if x.readMark(); x.line.Code < 0 {
				x.findCode()
			}
		case actOpen:
			x.noteCode()
			x.depth++
			x.at++
		case actClose:
			x.readCloser()
		default:
			x.at++
		}
		at = x.at
	}
	x.at = len(b)
	x.endLine(len(b))
}

// findCode notes the first code of a line if it follows and is neither bracket nor mark.
func (x *lexer) findCode() {
	b, at := x.b, x.at
	for at < len(b) && IsSpace(b[at]) && b[at] != '\n' {
		at++
	}
	if at < len(b) && x.action[b[at]] == 0 {
		x.line.Code = int32(at)
	}
}

// noteCode notes that there is code at the current offset.
func (x *lexer) noteCode() {
	if x.line.Code < 0 {
		x.line.Code = int32(x.at)
	}
}

// readCloser reads a closing bracket. If it ends the code in a template, it reads on there.
func (x *lexer) readCloser() {
	if x.line.Code < 0 {
		x.line.Flags |= Closes
	}
	x.noteCode()
	if x.depth > 0 {
		x.depth--
	}
	x.at++
	if n := len(x.holes); n > 0 && x.b[x.at-1] == '}' && int32(x.depth) <= x.holes[n-1] {
		x.holes = x.holes[:n-1]
		x.readTemplate()
	}
}

// endCode notes the last byte of code before end.
func (x *lexer) endCode(end int) {
	low := max(x.noteEnd, int(x.line.Code))
	for end > low && IsSpace(x.b[end-1]) {
		end--
	}
	if end > low {
		x.line.Last = x.b[end-1]
	}
}

func (x *lexer) addLine() {
	if len(x.lines) == cap(x.lines) {
		x.growLines()
	}
	x.lines = append(x.lines, x.line)
}

// growLines is apart from addLine, which is inlined.
func (x *lexer) growLines() {
	x.lines = grow.Slice(x.lines, x.at, len(x.b), maxLines(x.b)+1)
}

// endLine adds the line that ends at an offset.
func (x *lexer) endLine(end int) {
	switch {
	case x.line.Code >= 0:
		x.endCode(end)
		x.line.Depth = max(0, x.line.Depth)
	case x.note < 0:
		return
	default:
		x.line.Code = int32(x.note)
		x.line.Flags |= Comment
	}
	x.addLine()
}

// resync closes all open brackets where a definition begins in the first column, because
// no one writes such a definition inside another. So unbalanced code costs one definition.
func (x *lexer) resync() {
	if !x.v.Has(language.TopLevelEdges) {
		return
	}
	end := x.at
	for end < len(x.b) && x.v.Ident[x.b[end]] {
		end++
	}
	if end == len(x.b) || x.b[end] != ' ' {
		return
	}
	if w := x.v.Look(x.b[x.at:end]); w.Role == language.Defines && w.Kind != language.Value || string(x.b[x.at:end]) == "export" {
		x.depth, x.holes, x.branches = 0, x.holes[:0], x.branches[:0]
		x.line.Depth = 0
	}
}

// readDirective reads a line for a preprocessor. Every branch of an #if begins at the
// depth of the first.
func (x *lexer) readDirective() {
	x.line.Code, x.line.Flags = int32(x.at), x.line.Flags|Directive
	word := bytes.TrimLeft(x.b[x.at+1:min(len(x.b), x.at+24)], " \t")
	switch n := len(x.branches); {
	case bytes.HasPrefix(word, []byte("if")):
		x.branches = append(x.branches, int32(x.depth))
	case n > 0 && bytes.HasPrefix(word, []byte("el")):
		x.depth = int(x.branches[n-1])
	case n > 0 && bytes.HasPrefix(word, []byte("endif")):
		x.branches = x.branches[:n-1]
	}
	for {
		end := bytes.IndexByte(x.b[x.at:], '\n')
		if end < 0 {
			end = len(x.b) - x.at
		}
		text := bytes.TrimRight(x.b[x.at:x.at+end], "\r")
		x.at = min(len(x.b), x.at+end+1)
		if open := bytes.LastIndex(text, []byte("/*")); open >= 0 && !bytes.Contains(text[open:], []byte("*/")) {
			close := bytes.Index(x.b[x.at:], []byte("*/"))
			if close < 0 {
				x.at = len(x.b)
				break
			}
			x.at += close
			continue
		}
		if !bytes.HasSuffix(text, []byte(`\`)) {
			break
		}
	}
	x.line.Last = ';'
	x.addLine()
}
