package detect

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// lineKind is the kind of a line.
type lineKind int

const (
	shortLine lineKind = iota
	sentenceLine
	markLine
	codeLine
	settingLine
	tagLine
	refutingLine // occurs neither in Markdown nor in prose
)

// maxLook is the number of bytes of a line that are judged, which bounds the time for long lines.
const maxLook = 4096

// classify returns the kind of a line that is not blank and not in a fence.
func classify(text []byte, indent int) lineKind {
	text = text[:min(len(text), maxLook)]
	switch {
	case refutes(text):
		return refutingLine
	case indent < 4 && isMark(text):
		return markLine
	case text[0] == '<':
		return tagLine
	case isLog(text), isComment(text):
		return codeLine
	}
	body, listed := cutItemMark(text)
	switch {
	case isSetting(body):
		return settingLine
	case endsLikeCode(body):
		return codeLine
	}
	m := measure(body)
	switch {
	case m.odd*6 > len(body):
		return codeLine
	case m.words >= 4 && m.odd*12 <= len(body) && m.letters*4 >= m.words*3 && (indent < 4 || listed) && !digits(body[:1]):
		return sentenceLine
	}
	return shortLine
}

// refutes reports whether a line is a hunk header of a diff, a document type or an XML declaration.
func refutes(text []byte) bool {
	switch text[0] {
	case '@':
		return bytes.HasPrefix(text, []byte("@@ -"))
	case 'd':
		return bytes.HasPrefix(text, []byte("diff --git "))
	case '<':
		for _, p := range []string{"<?xml", "<!DOCTYPE", "<!doctype", "<html"} {
			if bytes.HasPrefix(text, []byte(p)) {
				return true
			}
		}
	}
	return false
}

// isMark reports whether a line is a heading, rule, underline, table row, quote, image or link
// definition.
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

// isLog reports whether there is a time of day near the start of a line.
func isLog(text []byte) bool {
	head := text[:min(len(text), 40)]
	for i := 2; i+6 <= len(head); i++ {
		next := lines.IndexByte(head[i:len(head)-5], ':')
		if next < 0 {
			return false
		}
		if i += next; head[i+3] == ':' && digits(head[i-2:i]) && digits(head[i+1:i+3]) && digits(head[i+4:i+6]) {
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

// isComment reports whether a line begins with the mark of a comment or directive that no list uses.
func isComment(text []byte) bool {
	c, next := text[0], byte(0)
	if len(text) > 1 {
		next = text[1]
	}
	switch c {
	case ';', '%', '#', '@', '}', '{', ')', '\\', '.':
		return true
	case '/', '-':
		return next == c
	case '$':
		return next == ' '
	case '"', '\'':
		return next == c && len(text) > 2 && text[2] == c
	}
	return false
}

// cutItemMark returns a line without the mark of a list item.
func cutItemMark(text []byte) (body []byte, listed bool) {
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

// isSetting reports whether a line is "key: value" or "key = value" with one word as key and no
// sentence as value.
func isSetting(text []byte) bool {
	n := 0
	for n < len(text) && isInKey(text[n]) {
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

func isInKey(c byte) bool {
	switch c {
	case '_', '-', '.', '/', '$', '"', '\'':
		return true
	}
	return isWord(c)
}

// endsLikeCode reports whether a line ends like code and not like a sentence.
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
		return open > 0 && isWord(text[open-1]) // call(...), not a remark (like this)
	}
	return false
}

// measures are the counts of measure.
type measures struct {
	words   int
	letters int // words of letters, some of them lower-case: not 0E41, not MOVQ
	odd     int // bytes that are unusual in natural language
}

// Classes of bytes.
const (
	isSmall  = 1 << iota // a small letter, or one of another script
	isOther              // no letter of a word
	isJoined             // not part of a word between two letters: a.b, f(x), a[i]
	isBlank              // it ends a word
	isOdd
	isHigh
)

// byteClass is the class of each byte. A sum over a table takes half the time of a switch.
var byteClass = func() (m [256]uint8) {
	m[' '], m['\t'] = isBlank, isBlank
	for c := 'a'; c <= 'z'; c++ {
		m[c] = isSmall
	}
	for c := '0'; c <= '9'; c++ {
		m[c] = isOther
	}
	for c := 0x80; c <= 0xff; c++ {
		m[c] = isSmall | isHigh
	}
	for _, c := range "{}=;<>|&$\\^~@_" {
		m[c] = isOther | isOdd
	}
	m['.'], m['('], m['['] = isJoined, isJoined, isJoined
	return m
}()

// measure counts words, which end at blanks. In scripts without blanks, six bytes count as a word.
func measure(text []byte) (m measures) {
	odd, high := 0, 0
	start, classes := 0, uint8(0) // of the current word: its start and the classes of its bytes
	for i, c := range text {
		k := byteClass[c]
		odd += int(k / isOdd & 1)
		high += int(k / isHigh)
		if k&(isBlank|isJoined) != 0 {
			if k == isBlank {
				m.addWord(i-start, classes)
				start, classes = i+1, 0
				continue
			}
			if isBetweenWords(text, i) {
				odd++
				k = isOther
			}
		}
		classes |= k
	}
	m.addWord(len(text)-start, classes)
	m.odd = odd
	if n := high / 6; n > m.words {
		m.words, m.letters = n, n
	}
	return m
}

// addWord counts a word of n bytes.
func (m *measures) addWord(n int, classes uint8) {
	if n > 0 {
		m.words++
		if classes&(isSmall|isOther) == isSmall {
			m.letters++
		}
	}
}

// isBetweenWords reports whether the byte at i is between two word bytes.
func isBetweenWords(text []byte, i int) bool {
	return i > 0 && i+1 < len(text) && isWord(text[i-1]) && isWord(text[i+1])
}

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c-'0' <= 9
}

// places reports whether most of the first lines begin with "file:12:", as
// matches of a search and messages of a compiler do.
func places(b []byte) bool {
	const look = 20
	hits, misses := 0, 0
	for at := 0; at < len(b) && hits+misses < look && misses < look/2; {
		end := lines.End(b, at)
		line := bytes.TrimSpace(b[at:end])
		if at = end; len(line) == 0 {
			continue
		}
		if isPlace(line) {
			hits++
		} else {
			misses++
		}
	}
	return hits > misses
}

func isPlace(line []byte) bool {
	at := lines.IndexByte(line, ':')
	if at <= 0 {
		return false
	}
	rest := line[at+1:]
	n := 0
	for n < len(rest) && rest[n]-'0' <= 9 {
		n++
	}
	return n > 0 && n < len(rest) && rest[n] == ':' && !bytes.ContainsAny(line[:at], " \t\"'{")
}
