package keyword

import (
	"strings"
	"unicode"
)

const (
	maxArguments = 16 << 10 // bytes of the arguments that are read
	maxValue     = 200      // bytes of one value; a longer one is content, not a name
	maxWord      = 32       // bytes of a word in a value; names are shorter
)

// FromCall returns keywords of a tool call, in this order: the server, words of the
// tool's name, and words of the argument values. label is server/tool, or the name
// of a tool without a server; arguments is a JSON object.
//
// Keywords consist of letters and digits, without ids, numbers and punctuation. The
// result is deterministic.
func FromCall(label string, arguments []byte) []string {
	l := list{max: MaxCall}
	tool := label
	if server, rest, ok := strings.Cut(label, "/"); ok {
		l.add(strings.Map(keepPlain, server))
		tool = rest
	}
	l.addName(tool)
	for value := range eachString(arguments[:min(len(arguments), maxArguments)]) {
		for token := range strings.FieldsFuncSeq(value, isSeparator) {
			if !isID(token) {
				l.addName(token)
			}
		}
		if l.isFull() {
			break
		}
	}
	return l.words
}

// keepPlain drops characters that no name of a server contains.
func keepPlain(r rune) rune {
	if notWord(r) && r != '-' && r != '_' && r != '.' {
		return -1
	}
	return r
}

// addName adds the words of a name in snake_case, kebab-case or camelCase.
func (l *list) addName(name string) {
	for part := range strings.FieldsFuncSeq(name, notWord) {
		start, lower := 0, false
		for i, r := range part {
			if lower && unicode.IsUpper(r) {
				l.addWord(part[start:i])
				start = i
			}
			lower = unicode.IsLower(r)
		}
		l.addWord(part[start:])
	}
}

// addWord adds a word unless it is too short, too long, an id or without meaning.
func (l *list) addWord(word string) {
	low := strings.ToLower(word)
	if len(word) < 3 || len(word) > maxWord || filler[low] || routine[low] || isID(word) {
		return
	}
	l.add(low)
}

func isSeparator(r rune) bool { return notWord(r) && r != '-' && r != '_' }

// isID reports whether a token is a machine-made identifier: mostly digits,
// hexadecimal, or with more changes between letters, digits and cases than a name has.
func isID(token string) bool {
	all, digits, hex, turns := 0, 0, 0, 0
	before := 'x'
	for _, r := range token {
		all++
		if unicode.IsDigit(r) {
			digits++
		}
		if r < unicode.MaxASCII && strings.ContainsRune("0123456789abcdefABCDEF-_", r) {
			hex++
		}
		if unicode.IsDigit(r) != unicode.IsDigit(before) && r != '-' && r != '_' || unicode.IsUpper(before) && unicode.IsLower(r) {
			turns++
		}
		before = r
	}
	switch {
	case digits*2 > all, digits > 0 && hex == all && all >= 4:
		return true
	case digits > 0:
		return turns >= 4 && turns*5 >= all
	}
	return all >= 16 && turns*4 >= all
}
