package code

import (
	"bytes"
	"math/bits"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/room"
)

// line is a line that begins outside strings and comments and is not blank. The
// lines that a string or a comment goes on to belong to it.
type line struct {
	start int32 // in the text
	code  int32 // of the first code in it, or of the comment if there is none
	depth int16 // how deep it is nested where it begins
	last  byte  // of its code
	flags flags
}

type flags uint8

const (
	gap       flags = 1 << iota // blank lines stand above it
	comment                     // it holds no code
	closes                      // it begins with a closing bracket
	directive                   // it is for a preprocessor
)

// What the lexer does at a byte. In those of eight bytes, each moved by its place,
// it sees all of them.
const (
	turnStop  = 1       // line ends, comments, strings, and what looks like them
	turnOpen  = 1 << 8  // brackets
	turnClose = 1 << 16 // brackets
)

// What a mark may begin.
const (
	mayNote  = 1 << iota
	mayForm  // what few languages have
	mayQuote // a string
)

// forms are what few languages have, by how they begin.
var forms = [...]struct {
	of    syntax
	first string
}{
	{templates, "`"}, {regexes, "/"}, {characters, "'"}, {rawParens | rawHashes | verbatim, `"`}, {heredocs, "<"}, {dollars, "$"}, {longs, "["},
}

// turns fills the table of what each byte starts.
func (v *vocabulary) turns() {
	mark := func(s string, what uint8) {
		if s != "" {
			v.turn[s[0]] = turnStop
			v.may[s[0]] |= what
		}
	}
	for _, s := range v.comment {
		mark(s, mayNote)
	}
	v.ends = make([]stops, len(v.quotes))
	for i, q := range v.quotes {
		mark(q.open, mayQuote)
		ends := &v.ends[i]
		ends[q.close[0]] = 1
		if q.escape != 0 {
			ends[q.escape] = 1
		}
		if !q.lines {
			ends['\n'] = 1
		}
	}
	if v.block[0] != "\n=begin" {
		mark(v.block[0], mayNote)
	}
	for _, form := range forms {
		if v.syntax&form.of != 0 {
			mark(form.first, mayForm)
		}
	}
	if !v.layout || v.syntax&brackets != 0 {
		for _, c := range []byte("([{") {
			v.turn[c] = turnOpen
		}
		for _, c := range []byte(")]}") {
			v.turn[c] = turnClose
		}
	}
	v.turn['\n'] = turnStop
}

// lexer finds the lines of a text and their depth.
type lexer struct {
	b  []byte
	v  *vocabulary
	at int

	lines []line
	cur   line // the one that is being read; code is -1 until there is some
	note  int  // its first comment, -1 without
	after int  // the end of its last comment
	blank bool // a blank line was read before it

	depth    int     // open brackets
	columns  []int32 // of a language of layout: indentation of the open blocks
	branches []int32 // of directives: the depth at each open #if
	holes    []int32 // of templates: the depth at each open ${
	waiting  []int   // starts of heredoc marks in this line
	closed   [8]int  // by quote: none ends before this offset
	misses   int     // searches through the text that found nothing
}

// A text has at most one line in so many bytes: what has more is no program.
const minLine = 4

// firstLines tell how many a text has.
const firstLines = 1 << 10

func newLexer(b []byte, v *vocabulary) *lexer {
	return &lexer{b: b, v: v, at: bom(b), lines: make([]line, 0, min(64+len(b)/32, firstLines))}
}

// run reads the text. It gives up on one that is all line ends.
func (x *lexer) run() bool {
	for x.at < len(x.b) {
		if len(x.lines) > 1024+len(x.b)/minLine {
			return false
		}
		if x.indentation() {
			x.content()
		}
	}
	x.layoutComments(len(x.lines), 0, 0)
	return true
}

// indentation reads the start of a line; false if the line is blank, or a
// directive, and done with.
func (x *lexer) indentation() bool {
	b, start, width := x.b, x.at, 0
	at := start
	for ; at < len(b) && white(b[at]) && b[at] != '\n'; at++ {
		switch b[at] {
		case '\t':
			width += 8 - width%8
		case ' ':
			n := blanks(b, at)
			width += n
			at += n - 1
		}
	}
	if x.at = at; at == len(b) {
		return false
	}
	if b[at] == '\n' {
		x.at++
		x.blank = true
		return false
	}
	x.cur, x.note = line{start: int32(start), code: -1, depth: int16(min(x.depth, 1<<14))}, -1
	x.after = 0
	if x.blank {
		x.cur.flags |= gap
		x.blank = false
	}
	switch {
	case x.v.layout:
		return x.nest(width)
	case b[at] == '#' && x.v.syntax&directives != 0:
		x.directive()
		return false
	case b[at] == '/' && at+1 < len(b) && b[at+1] == '/' && x.v.may['/']&mayNote != 0:
		x.cur.code, x.cur.flags = int32(at), x.cur.flags|comment // a line of comment is all there is
		x.at = lines.End(b, at)
		x.addLine()
		return false
	case width == 0 && x.depth > 0:
		x.resume()
	}
	return true
}

// content reads the rest of a line, and the lines that a string or comment in it
// goes on to. Half of all time is spent here: it takes eight bytes at a time, with
// the brackets in them, up to the next byte that is to be looked at.
func (x *lexer) content() {
	b, t := x.b, &x.v.turn
	if x.at < len(b) && t[b[x.at]] == 0 {
		x.cur.code = int32(x.at)
	}
	for at := x.at; at < len(b); {
		if at+8 <= len(b) && x.cur.code >= 0 {
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
		case turnStop:
			if b[at] == '\n' {
				x.endLine(at)
				x.at++
				if len(x.waiting) > 0 {
					x.heredocs()
				}
				return
			}
			if x.marked(); x.cur.code < 0 {
				x.begin()
			}
		case turnOpen:
			x.code()
			x.depth++
			x.at++
		case turnClose:
			x.closer()
		default:
			x.at++
		}
		at = x.at
	}
	x.at = len(b)
	x.endLine(len(b))
}

// begin notes the first code of a line, if it is the next that stands in it and no
// bracket and no mark.
func (x *lexer) begin() {
	b, at := x.b, x.at
	for at < len(b) && white(b[at]) && b[at] != '\n' {
		at++
	}
	if at < len(b) && x.v.turn[b[at]] == 0 {
		x.cur.code = int32(at)
	}
}

func white(c byte) bool { return c == ' ' || c-'\t' < 5 }

// code notes that code stands here.
func (x *lexer) code() {
	if x.cur.code < 0 {
		x.cur.code = int32(x.at)
	}
}

func (x *lexer) closer() {
	if x.cur.code < 0 {
		x.cur.flags |= closes
	}
	x.code()
	if x.depth > 0 {
		x.depth--
	}
	x.at++
	if n := len(x.holes); n > 0 && x.b[x.at-1] == '}' && int32(x.depth) <= x.holes[n-1] {
		x.holes = x.holes[:n-1]
		x.template()
	}
}

// endCode notes the last byte of code before end.
func (x *lexer) endCode(end int) {
	low := max(x.after, int(x.cur.code))
	for end > low && white(x.b[end-1]) {
		end--
	}
	if end > low {
		x.cur.last = x.b[end-1]
	}
}

func (x *lexer) addLine() {
	if len(x.lines) == cap(x.lines) {
		x.moreLines()
	}
	x.lines = append(x.lines, x.cur)
}

func (x *lexer) moreLines() {
	x.lines = room.More(x.lines, x.at, len(x.b), 1024+len(x.b)/minLine+1)
}

// endLine notes the line that ends at a line end.
func (x *lexer) endLine(end int) {
	switch {
	case x.cur.code >= 0:
		x.endCode(end)
		x.cur.depth = max(0, x.cur.depth)
	case x.note < 0:
		return
	default:
		x.cur.code = int32(x.note)
		x.cur.flags |= comment
	}
	x.addLine()
}

// resume ends what is open where a definition begins in the first column, which
// nobody writes inside another one. So code that is out of balance costs one
// definition.
func (x *lexer) resume() {
	if x.v.syntax&edges == 0 {
		return
	}
	end := x.at
	for end < len(x.b) && x.v.ident[x.b[end]] {
		end++
	}
	if end == len(x.b) || x.b[end] != ' ' {
		return
	}
	if w := x.v.look(x.b[x.at:end]); w.role == defines && w.kind != value || string(x.b[x.at:end]) == "export" {
		x.depth, x.holes, x.branches = 0, x.holes[:0], x.branches[:0]
		x.cur.depth = 0
	}
}

// directive reads a line for a preprocessor. Of the branches of an #if each
// begins as deep as the first did.
func (x *lexer) directive() {
	x.cur.code, x.cur.flags = int32(x.at), x.cur.flags|directive
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
	x.cur.last = ';'
	x.addLine()
}
