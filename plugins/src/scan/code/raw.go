package code

import "bytes"

// maxMisses bounds how often the rest of a text is searched in vain.
const maxMisses = 16

// find is the offset after the next close at or after from, or 0.
func (x *lexer) find(from int, close []byte) int {
	if x.misses > maxMisses || from > len(x.b) {
		return 0
	}
	i := bytes.Index(x.b[from:], close)
	if i < 0 {
		x.misses++
		return 0
	}
	return from + i + len(close)
}

// raw reads a string whose form depends on what stands before its quote.
func (x *lexer) raw() bool {
	b, s := x.b, x.v.syntax
	before := func(n int) byte {
		if x.at < n {
			return 0
		}
		return b[x.at-n]
	}
	end := 0
	switch {
	case s&rawParens != 0 && before(1) == 'R':
		if open := bytes.IndexByte(b[x.at:min(len(b), x.at+20)], '('); open > 0 {
			end = x.find(x.at+open, append(append([]byte{')'}, b[x.at+1:x.at+open]...), '"'))
		}
	case s&rawHashes != 0 && (before(1) == '#' || before(1) == 'r'):
		n := 0
		for before(n+1) == '#' && n < 255 {
			n++
		}
		if before(n+1) == 'r' {
			end = x.find(x.at+1, append([]byte{'"'}, bytes.Repeat([]byte{'#'}, n)...))
		}
	case s&verbatim != 0 && (before(1) == '@' || before(1) == '$' && before(2) == '@'):
		for at := x.at + 1; at < len(b); at++ {
			if b[at] == '"' {
				if at+1 < len(b) && b[at+1] == '"' {
					at++
					continue
				}
				end = at + 1
				break
			}
		}
	}
	if end == 0 {
		return false
	}
	x.code()
	x.at = end
	return true
}

// long is the end of [[text]] or [=[text]=], or 0.
func (x *lexer) long(at int) int {
	n := at + 1
	for n < len(x.b) && x.b[n] == '=' && n-at < 64 {
		n++
	}
	if n == len(x.b) || x.b[n] != '[' {
		return 0
	}
	return x.find(n, append(append([]byte{']'}, x.b[at+1:n]...), ']'))
}

// dollar reads $x$ text $x$.
func (x *lexer) dollar() bool {
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
	x.code()
	x.at = end
	return true
}

// heredocMark notes <<WORD, whose text begins on the next line.
func (x *lexer) heredocMark() bool {
	if !bytes.HasPrefix(x.b[x.at:], []byte("<<")) {
		return false
	}
	if word, _ := heredocWord(x.b[x.at:]); len(word) > 0 && len(x.waiting) < 8 {
		x.waiting = append(x.waiting, x.at)
	}
	x.code()
	x.at += 2
	for x.at < len(x.b) && (x.b[x.at] == '<' || x.b[x.at] == '-' || x.b[x.at] == '~') {
		x.at++
	}
	return true
}

// heredocWord is the word after << and whether its end may be indented.
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

// heredocs reads the texts of the marks in the line that has ended.
func (x *lexer) heredocs() {
	for _, at := range x.waiting {
		word, indented := heredocWord(x.b[at:])
		if end := x.heredocEnd(word, indented); end > 0 {
			x.at = end
		}
	}
	x.waiting = x.waiting[:0]
}

// heredocEnd is the offset after the line that holds the word alone, or 0.
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
			x.misses++
			return 0
		}
		from = end
	}
}
