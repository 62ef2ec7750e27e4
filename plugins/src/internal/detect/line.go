package detect

import "bytes"

// what a line looks like.
type what int

const (
	short what = iota
	sentence
	mark
	code
	setting
	tag
	refuting // no Markdown and no prose has such a line
)

// maxLook is how much of a line is judged: one of megabytes is read in a moment.
const maxLook = 4096

// look judges a line that is not blank and not in a fence.
func look(text []byte, indent int) what {
	text = text[:min(len(text), maxLook)]
	switch {
	case refutes(text):
		return refuting
	case indent < 4 && isMark(text):
		return mark
	case text[0] == '<':
		return tag
	case isLog(text), isComment(text):
		return code
	}
	body, listed := item(text)
	switch {
	case isSetting(body):
		return setting
	case endsLikeCode(body):
		return code
	}
	m := measure(body)
	switch {
	case m.odd*6 > len(body):
		return code
	case m.words >= 4 && m.odd*12 <= len(body) && m.letters*4 >= m.words*3 && (indent < 4 || listed) && !digits(body[:1]):
		return sentence
	}
	return short
}

// refutes reports hunk headers of diffs, document types and XML declarations.
func refutes(text []byte) bool {
	for _, p := range []string{"@@ -", "diff --git ", "<?xml", "<!DOCTYPE", "<!doctype", "<html"} {
		if bytes.HasPrefix(text, []byte(p)) {
			return true
		}
	}
	return false
}

// isMark reports headings, rules and underlines, rows of tables, quotes,
// images and link definitions.
func isMark(text []byte) bool {
	switch text[0] {
	case '#':
		n := len(text) - len(bytes.TrimLeft(text, "#"))
		return n <= 6 && (n == len(text) || text[n] == ' ')
	case '|', '>':
		return true
	case '!':
		return len(text) > 1 && text[1] == '['
	case '[':
		return bytes.Contains(text, []byte("]: ")) || bytes.Contains(text, []byte("]("))
	case '=', '-', '*', '_', '+':
		return len(text) >= 3 && len(bytes.Trim(text, string(text[:1])+" ")) == 0
	}
	return false
}

// isLog reports a time of day near the start of a line.
func isLog(text []byte) bool {
	head := text[:min(len(text), 40)]
	for i := 0; i+8 <= len(head); i++ {
		if head[i+2] == ':' && head[i+5] == ':' && digits(head[i:i+2]) && digits(head[i+3:i+5]) && digits(head[i+6:i+8]) {
			return true
		}
	}
	return false
}

func digits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// isComment reports the marks of comments and directives that no list uses.
func isComment(text []byte) bool {
	for _, p := range []string{"//", "--", ";", "%", "#", `"""`, "'''", "@", "}", "{", ")", "\\", "$ ", "."} {
		if bytes.HasPrefix(text, []byte(p)) {
			return true
		}
	}
	return false
}

// item takes the mark of a list item off.
func item(text []byte) (body []byte, listed bool) {
	n := 0
	for n < len(text) && text[n]-'0' <= 9 {
		n++
	}
	switch {
	case n > 0 && n < len(text) && (text[n] == '.' || text[n] == ')'):
		n++
	case n == 0 && (text[0] == '-' || text[0] == '*' || text[0] == '+'):
		n = 1
	default:
		return text, false
	}
	if n >= len(text) || text[n] != ' ' {
		return text, false
	}
	return bytes.TrimLeft(text[n:], " "), true
}

// isSetting reports "key: value" and "key = value" where the key is one word
// and the value is no sentence.
func isSetting(text []byte) bool {
	n := 0
	for n < len(text) && (word(text[n]) || bytes.IndexByte([]byte(`_-./$"'`), text[n]) >= 0) {
		n++
	}
	if n == 0 || n == len(text) {
		return false
	}
	rest := bytes.TrimLeft(text[n:], " ")
	switch {
	case rest[0] == ':' && (len(rest) == 1 || rest[1] == ' '), rest[0] == '=' && (len(rest) == 1 || rest[1] != '='):
		return measure(rest[1:]).words < 6
	}
	return false
}

// endsLikeCode reports line ends that sentences have not.
func endsLikeCode(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	switch text[len(text)-1] {
	case '{', '}', ';', '\\', '=', '&', '|':
		return true
	case '(', '[':
		return true
	case ')':
		open := bytes.IndexByte(text, '(')
		return open > 0 && word(text[open-1]) // call(...), not a remark (like this)
	}
	return false
}

// measures of a line.
type measures struct {
	words   int
	letters int // words of letters, some of them small: not 0E41, not MOVQ
	odd     int // bytes that are unusual in natural language
}

// measure counts words, which end at blanks. Scripts without blanks count as
// words of six bytes.
func measure(text []byte) (m measures) {
	high := 0
	run, small, other := 0, 0, 0 // of the word so far: bytes, small letters, digits and the like
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = text[i]
		}
		switch {
		case c == ' ' || c == '\t':
			if run > 0 {
				m.words++
				if small > 0 && other == 0 {
					m.letters++
				}
			}
			run, small, other = 0, 0, 0
			continue
		case c >= 0x80:
			high++
			small++
		case c >= 'a' && c <= 'z':
			small++
		case c-'0' <= 9:
			other++
		case bytes.IndexByte([]byte("{}=;<>|&$\\^~@_"), c) >= 0:
			m.odd++
			other++
		case (c == '.' || c == '(' || c == '[') && between(text, i):
			m.odd++ // a.b, f(x), a[i]
			other++
		}
		run++
	}
	if n := high / 6; n > m.words {
		m.words, m.letters = n, n
	}
	return m
}

// between reports whether the byte at i stands between two word bytes.
func between(text []byte, i int) bool {
	return i > 0 && i+1 < len(text) && word(text[i-1]) && word(text[i+1])
}

func word(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c-'0' <= 9
}

// places reports whether most of the first lines begin with "file:12:", as
// matches of a search and messages of a compiler do.
func places(b []byte) bool {
	const look = 20
	hits, all := 0, 0
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if all++; isPlace(line) {
			hits++
		}
		if all == look {
			break
		}
	}
	return hits*2 > all
}

func isPlace(line []byte) bool {
	at := bytes.IndexByte(line, ':')
	if at <= 0 || bytes.ContainsAny(line[:at], " \t\"'{") {
		return false
	}
	rest := line[at+1:]
	n := 0
	for n < len(rest) && rest[n]-'0' <= 9 {
		n++
	}
	return n > 0 && n < len(rest) && rest[n] == ':'
}
