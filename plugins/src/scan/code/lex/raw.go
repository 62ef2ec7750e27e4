package lex

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// maxFailed bounds how often the rest of a text is searched in vain.
const maxFailed = 16

// find returns the offset after the next closing mark at or after from, or 0.
func (x *lexer) find(from int, close []byte) int {
	if x.failed > maxFailed || from > len(x.b) {
		return 0
	}
	i := bytes.Index(x.b[from:], close)
	if i < 0 {
		x.failed++
		return 0
	}
	return from + i + len(close)
}

// readRawString reads a string whose form depends on the bytes before its quote.
func (x *lexer) readRawString() bool {
	end := 0
	switch v := x.v; {
	case v.Has(language.RawParens) && x.before(1) == 'R':
		end = x.rawParensEnd()
	case v.Has(language.RawHashes) && (x.before(1) == '#' || x.before(1) == 'r'):
		end = x.rawHashesEnd()
	case v.Has(language.Verbatim) && hasMark(x.b, x.at, threeQuotes) && x.before(1) != '@':
		end = x.rawQuotesEnd()
	case v.Has(language.Verbatim) && (x.before(1) == '@' || x.before(1) == '$' && x.before(2) == '@'):
		end = x.verbatimEnd()
	}
	if end == 0 {
		return false
	}
	x.noteCode()
	x.at = end
	return true
}

// before returns the byte n before the current one, or 0.
func (x *lexer) before(n int) byte {
	if x.at < n {
		return 0
	}
	return x.b[x.at-n]
}

// rawParensEnd returns the end of R"x(text)x", or 0.
func (x *lexer) rawParensEnd() int {
	open := bytes.IndexByte(x.b[x.at:min(len(x.b), x.at+20)], '(')
	if open <= 0 {
		return 0
	}
	return x.find(x.at+open, append(append([]byte{')'}, x.b[x.at+1:x.at+open]...), '"'))
}

// rawHashesEnd returns the end of r#"text"#, or 0.
func (x *lexer) rawHashesEnd() int {
	n := 0
	for x.before(n+1) == '#' && n < 255 {
		n++
	}
	if x.before(n+1) != 'r' {
		return 0
	}
	return x.find(x.at+1, append([]byte{'"'}, bytes.Repeat([]byte{'#'}, n)...))
}

// verbatimEnd returns the end of @"text", or 0. Two quotes are a quote in the text.
func (x *lexer) verbatimEnd() int {
	for at := x.at + 1; at < len(x.b); at++ {
		if x.b[at] != '"' {
			continue
		}
		if at+1 == len(x.b) || x.b[at+1] != '"' {
			return at + 1
		}
		at++
	}
	return 0
}

// rawQuotesEnd returns the end of a string that begins with three quotes or more and ends with as many,
// or 0.
func (x *lexer) rawQuotesEnd() int {
	const maxQuotes = 64
	n := x.at
	for n < min(len(x.b), x.at+maxQuotes) && x.b[n] == '"' {
		n++
	}
	return x.find(n, x.b[x.at:n])
}

// longBracketEnd returns the end of [[text]] or [=[text]=] at an offset, or 0.
func (x *lexer) longBracketEnd(at int) int {
	n := at + 1
	for n < len(x.b) && x.b[n] == '=' && n-at < 64 {
		n++
	}
	if n == len(x.b) || x.b[n] != '[' {
		return 0
	}
	return x.find(n, append(append([]byte{']'}, x.b[at+1:n]...), ']'))
}

// readDollarQuote reads $x$ text $x$.
func (x *lexer) readDollarQuote() bool {
	n := x.at + 1
	for n < len(x.b) && n-x.at < 64 && (x.b[n] == '_' || x.b[n]|0x20 >= 'a' && x.b[n]|0x20 <= 'z') {
		n++
	}
	if n == len(x.b) || x.b[n] != '$' {
		return false
	}
	end := x.find(n+1, x.b[x.at:n+1])
	if end == 0 {
		return false
	}
	x.noteCode()
	x.at = end
	return true
}

// readHeredocMark notes <<WORD, whose text begins on the next line.
func (x *lexer) readHeredocMark() bool {
	if !bytes.HasPrefix(x.b[x.at:], []byte("<<")) {
		return false
	}
	if word, _ := heredocWord(x.b[x.at:]); len(word) > 0 && len(x.heredocs) < 8 {
		x.heredocs = append(x.heredocs, x.at)
	}
	x.noteCode()
	x.at += 2
	for x.at < len(x.b) && (x.b[x.at] == '<' || x.b[x.at] == '-' || x.b[x.at] == '~') {
		x.at++
	}
	return true
}

// heredocWord returns the word after <<, and whether its end may be indented.
func heredocWord(b []byte) (word []byte, indented bool) {
	b = b[2:min(len(b), 80)]
	if bytes.HasPrefix(b, []byte("<")) { // <<< of PHP
		b = bytes.TrimLeft(b[1:], " ")
		indented = true
	}
	if rest := bytes.TrimLeft(b, "-~"); len(rest) < len(b) {
		b, indented = rest, true
	}
	b = bytes.TrimLeft(b, " \\")
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		if end := bytes.IndexByte(b[1:], b[0]); end > 0 {
			return b[1 : 1+end], indented
		}
		return nil, false
	}
	n := 0
	for n < len(b) && (b[n] == '_' || b[n] >= 'A' && b[n] <= 'Z' || n > 0 && (b[n] >= '0' && b[n] <= '9' || b[n] >= 'a' && b[n] <= 'z')) {
		n++
	}
	return b[:n], indented
}

// readBelow reads the texts below the line that has ended: those of its heredoc marks, or rows of data.
func (x *lexer) readBelow() {
	for _, at := range x.heredocs {
		word, indented := heredocWord(x.b[at:])
		if end := x.heredocEnd(word, indented); end > 0 {
			x.at = end
		}
	}
	x.heredocs = x.heredocs[:0]
	if !x.rows || !readsRows(x.b[x.line.Code:x.at]) {
		return
	}
	if end := x.find(x.at-1, rowsEnd); end > 0 {
		tail := x.b[end:lines.End(x.b, end)]
		if len(bytes.TrimRight(tail, " \r\n")) > 0 {
			x.failed++
			return
		}
		x.at = end + len(tail)
	}
}

// heredocEnd returns the offset after the line that contains the word alone, or 0.
func (x *lexer) heredocEnd(word []byte, indented bool) int {
	for from, tries := x.at, 0; ; tries++ {
		end := x.find(from, word)
		if end == 0 {
			return 0
		}
		head := x.b[bytes.LastIndexByte(x.b[:end-len(word)], '\n')+1 : end-len(word)]
		tail, _, _ := bytes.Cut(x.b[end:min(len(x.b), end+8)], []byte("\n"))
		if len(bytes.Trim(tail, ";,) \r")) == 0 && (len(head) == 0 || indented && len(bytes.TrimLeft(head, " \t")) == 0) {
			return min(len(x.b), end+len(tail)+1)
		}
		if tries == 64 {
			x.failed++
			return 0
		}
		from = end
	}
}

// readsRows reports whether a line ends a statement such as COPY a FROM stdin; which is followed by rows of data.
func readsRows(line []byte) bool {
	line = bytes.TrimRight(line, "; \r\n")
	at := len(line) - len(fromInput)
	return at > 0 && bytes.EqualFold(line[at:], fromInput) && (IsSpace(line[at-1]) || line[at-1] == ')')
}

var fromInput, rowsEnd = []byte("from stdin"), []byte("\n\\.") // the rows end with a line of \.
