package lex

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/scan/code/byteset"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// readMark reads a comment or a string that may begin here, or else a byte of code.
func (x *lexer) readMark() {
	switch may := x.may[x.b[x.at]]; {
	case may&mayComment != 0 && x.readComment():
	case may&maySpecial != 0 && x.readSpecial():
	case may&mayString != 0 && x.readString():
	default:
		x.noteCode()
		x.at++
	}
}

// isComment reports whether a comment begins at an offset.
func (x *lexer) isComment(at int) bool {
	if x.may[x.b[at]]&mayComment == 0 {
		return false
	}
	for _, open := range x.v.LineComments {
		if hasMark(x.b, at, open) {
			return open != "#" || x.isHashComment(at)
		}
	}
	return x.v.BlockComment[0] != "" && hasMark(x.b, at, x.v.BlockComment[0])
}

// isHashComment reports whether # begins a comment: it is not part of a word, and in PHP not
// of an attribute.
func (x *lexer) isHashComment(at int) bool {
	if at > 0 && x.b[at-1] > ' ' && x.b[at-1] != ';' && !x.v.Has(language.HashInWords) {
		return false
	}
	return x.v.Indented || at+1 == len(x.b) || x.b[at+1] != '['
}

// readComment reads a comment, if one begins here.
func (x *lexer) readComment() bool {
	if !x.isComment(x.at) {
		return false
	}
	if x.line.Code >= 0 {
		x.endCode(x.at)
	}
	if x.note < 0 {
		x.note = x.at
	}
	x.skipComment()
	x.noteEnd = x.at
	return true
}

func (x *lexer) skipComment() {
	if open := x.v.BlockComment[0]; open != "" && hasMark(x.b, x.at, open) {
		x.skipBlockComment(open, x.v.BlockComment[1])
		return
	}
	if x.v.Has(language.LongBrackets) && x.at+2 < len(x.b) && x.b[x.at+2] == '[' {
		if end := x.longBracketEnd(x.at + 2); end > 0 {
			x.at = end
			return
		}
	}
	x.at = indexByte(x.b, x.at, '\n')
}

func (x *lexer) skipBlockComment(open, close string) {
	x.at += len(open)
	for n := 1; n > 0; {
		end := endOf(x.b, x.at, close)
		if end < 0 {
			x.at = len(x.b)
			return
		}
		if x.v.NestedComments {
			n += bytes.Count(x.b[x.at:end-len(close)], []byte(open))
		}
		n--
		x.at = end
	}
}

// readString reads a string, if one begins here and ends.
func (x *lexer) readString() bool {
	for i := range x.v.Quotes {
		q := &x.v.Quotes[i]
		if !hasMark(x.b, x.at, q.Open) {
			continue
		}
		if x.at < x.unclosed[i] {
			return false
		}
		end, stop := x.stringEnd(x.at, i, 0)
		if end < 0 {
			x.unclosed[i] = stop
			return false
		}
		x.noteCode()
		x.at = end
		return true
	}
	return false
}

// stringEnd returns the offset after the string at b[at], which has the quotes at a position, or -1 and the
// offset up to which it has no end. level is the number of strings around it.
func (x *lexer) stringEnd(at, quote, level int) (end, stop int) {
	b, q, ends := x.b, &x.v.Quotes[quote], &x.ends[quote]
	first, hole := q.Close[0], holeAt(x.v, b, at)
	for at = ends.Next(b, at+len(q.Open)); at < len(b); at = ends.Next(b, at+1) {
		switch c := b[at]; {
		case c == first && hasMark(b, at, q.Close):
			end := at + len(q.Close)
			for q.Escape == 0 && q.Close == threeQuotes && end < len(b) && b[end] == first { // the last three close it
				end++
			}
			return end, 0
		case hole != "" && c == hole[0] && hasMark(b, at, hole):
			if end := x.holeEnd(at+len(hole), hole, q.Multiline, level); end > 0 {
				at = end - 1
			} else if c == q.Escape || hole == "{" {
				at++
			}
		case c == q.Escape && c != 0:
			at++
		case c == '\n' && !q.Multiline:
			return -1, at
		}
	}
	return -1, len(b)
}

// holeAt returns the mark that begins code in the string at an offset, or "".
func holeAt(v *language.Vocabulary, b []byte, at int) string {
	if v.Hole == "{" && (at == 0 || b[at-1] != '$') {
		return ""
	}
	return v.Hole
}

// Limits of code in strings.
const (
	maxHole   = 1 << 14 // bytes
	maxLevels = 8       // strings in each other
)

// holeEnd returns the offset after the bracket that ends the code in a string, which begins at an offset, or
// 0 if it does not end. Brackets in strings and characters do not count.
func (x *lexer) holeEnd(at int, hole string, multiline bool, level int) int {
	open := hole[len(hole)-1]
	shut := byte('}')
	if open == '(' {
		shut = ')'
	}
	if hole == "{" && x.b[min(at, len(x.b)-1)] == '{' || x.failed > maxFailed || level == maxLevels {
		return 0
	}
	for depth, end := 1, min(len(x.b), at+maxHole); at < end; at++ {
		switch c := x.b[at]; {
		case c == open:
			depth++
		case c == shut:
			if depth--; depth == 0 {
				return at + 1
			}
		case c == '\n' && !multiline:
			return 0
		case c == '\'' && at+3 < len(x.b) && x.b[at+2] == '\'' && x.b[at+1] != '\\':
			at += 2
		case c == '"':
			after := -1
			if quote := quoteAt(x.v, x.b, at); quote >= 0 {
				after, _ = x.stringEnd(at, quote, level+1)
			}
			if after < 0 {
				x.failed++
				return 0
			}
			at = after - 1
		}
	}
	x.failed++
	return 0
}

// quoteAt returns the position of the quotes of the string that begins at an offset, or -1.
func quoteAt(v *language.Vocabulary, b []byte, at int) int {
	for i := range v.Quotes {
		if hasMark(b, at, v.Quotes[i].Open) {
			return i
		}
	}
	return -1
}

// threeQuotes are the mark of strings that contain quotes and lines.
const threeQuotes = `"""`

// beforeRaw are the bytes that precede the quote of a raw string.
var beforeRaw = byteset.Of("Rr#@$")

// readSpecial reads a string, or the mark of one, that few languages have.
func (x *lexer) readSpecial() bool {
	v, b := x.v, x.b
	switch c := b[x.at]; c {
	case '`':
		if v.Has(language.Templates) {
			x.noteCode()
			x.at++
			x.readTemplate()
			return true
		}
	case '\'':
		return v.Has(language.Characters) && x.readCharacter()
	case '"':
		return (x.at > 0 && beforeRaw.Has(b[x.at-1]) || v.Has(language.Verbatim) && hasMark(b, x.at, threeQuotes)) && x.readRawString()
	case '/':
		return v.Has(language.Regexes) && x.mayBeOperand() && x.readRegex()
	case '<':
		return v.Has(language.Heredocs) && x.readHeredocMark()
	case '$':
		return v.Has(language.DollarQuotes) && x.readDollarQuote()
	case '[':
		if v.Has(language.LongBrackets) {
			if end := x.longBracketEnd(x.at); end > 0 {
				x.noteCode()
				x.at = end
				return true
			}
		}
	}
	return false
}

// readTemplate reads the text of a template up to its end or a ${.
func (x *lexer) readTemplate() {
	for ; x.at < len(x.b); x.at++ {
		switch x.b[x.at] {
		case '`':
			x.at++
			return
		case '\\':
			x.at++
		case '$':
			if x.at+1 < len(x.b) && x.b[x.at+1] == '{' {
				x.holes = append(x.holes, int32(x.depth))
				x.depth++
				x.at += 2
				return
			}
		}
	}
	x.at = min(x.at, len(x.b))
}

// readCharacter reads 'x' or '\x'. A single ' has another meaning, such as a lifetime or a
// digit separator, and is read alone.
func (x *lexer) readCharacter() bool {
	x.noteCode()
	b, at := x.b, x.at+1
	rest := b[at:min(len(b), at+12)]
	switch _, width := utf8.DecodeRune(rest); {
	case x.at > 0 && b[x.at-1]-'0' <= 9:
	case len(rest) > 2 && rest[0] == '\\':
		if end := bytes.IndexByte(rest[2:], '\''); end >= 0 {
			at += 2 + end + 1
		}
	case width > 0 && width < len(rest) && rest[width] == '\'' && rest[0] != '\n':
		at += width + 1
	}
	x.at = at
	return true
}

// beforeOperand are the words that an operand may follow.
var beforeOperand = []string{"return", "typeof", "case", "in", "of", "when", "if", "and", "or", "split", "match"}

// mayBeOperand reports whether an operand may begin here, in which case / is no division.
func (x *lexer) mayBeOperand() bool {
	at := x.at
	for at > 0 && (x.b[at-1] == ' ' || x.b[at-1] == '\t') {
		at--
	}
	if at == 0 || x.line.Code < 0 || at <= int(x.line.Start) {
		return true
	}
	if bytes.IndexByte([]byte("(,=:[!&|?{};+-*%~^<>"), x.b[at-1]) >= 0 {
		return !(x.b[at-1] == '<' && x.v.AssignedFunctions) // </div>
	}
	for _, word := range beforeOperand {
		if bytes.HasSuffix(x.b[:at], []byte(word)) && (at == len(word) || !x.v.Ident[x.b[at-len(word)-1]]) {
			return true
		}
	}
	return false
}

// readRegex reads /text/, which ends on its line.
func (x *lexer) readRegex() bool {
	const slot = len(x.unclosed) - 1
	if x.at < x.unclosed[slot] {
		return false
	}
	set := false
	for at := x.at + 1; ; at++ {
		if at >= len(x.b) || x.b[at] == '\n' {
			x.unclosed[slot] = at
			return false
		}
		switch c := x.b[at]; {
		case c == '\\':
			at++
		case c == '[':
			set = true
		case c == ']':
			set = false
		case c == '/' && !set:
			x.noteCode()
			x.at = at + 1
			return true
		}
	}
}
