package keyword

import (
	"strings"
	"unicode"
)

const (
	maxArguments = 16 << 10 // bytes of the arguments that are looked at
	maxValue     = 200      // bytes of one value: a longer one is content, not a name
	maxWord      = 32       // bytes of a word of a value; names of things are shorter
)

// FromCall makes keywords of a tool call: the server, the words of the tool's
// name that say what it is about, and the words of its argument's values, in this
// order. label is server/tool, or the name of a tool without a server; arguments
// are a JSON object.
//
// Only letters and digits get out: no ids, numbers, punctuation. The same call
// gives the same keywords.
func FromCall(label string, arguments []byte) []string {
	l := list{max: MaxCall}
	tool := label
	if server, rest, ok := strings.Cut(label, "/"); ok {
		l.add(strings.Map(plain, server))
		tool = rest
	}
	l.name(tool)
	for value := range values(arguments[:min(len(arguments), maxArguments)]) {
		for token := range strings.FieldsFuncSeq(value, notToken) {
			if !isID(token) {
				l.name(token)
			}
		}
		if l.full() {
			break
		}
	}
	return l.words
}

// plain keeps what names of servers are made of.
func plain(r rune) rune {
	if notWord(r) && r != '-' && r != '_' && r != '.' {
		return -1
	}
	return r
}

// name adds the words that a name is made of: snake_case, kebab-case, camelCase.
func (l *list) name(name string) {
	for part := range strings.FieldsFuncSeq(name, notWord) {
		start, lower := 0, false
		for i, r := range part {
			if lower && unicode.IsUpper(r) {
				l.word(part[start:i])
				start = i
			}
			lower = unicode.IsLower(r)
		}
		l.word(part[start:])
	}
}

// word adds a word that may say what a call is about.
func (l *list) word(word string) {
	low := strings.ToLower(word)
	if len(word) < 3 || len(word) > maxWord || filler[low] || routine[low] || isID(word) {
		return
	}
	l.add(low)
}

func notToken(r rune) bool { return notWord(r) && r != '-' && r != '_' }

// isID reports whether a token names one thing to a machine: mostly digits,
// hexadecimal, or letters, digits and cases in no order that a person would write.
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
