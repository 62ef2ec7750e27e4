// Package keyword makes keywords of what a client says: of the tags it names, of
// a call it makes. Keywords are words in lower case, few and short; what they are
// made of may be of any size and hold anything.
package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what comes out.
const (
	MaxTags  = 24 // keywords of tags
	MaxCall  = 10 // keywords of a call
	MaxBytes = 64 // of one keyword; longer ones are cut
)

// FromTags makes keywords of tags, each of which may be a phrase: its words count
// one by one, hyphens within a word stay. Words that say nothing, doubles and all
// beyond MaxTags are left out.
func FromTags(tags []string) []string {
	l := list{max: MaxTags}
	for _, tag := range tags {
		for word := range strings.FieldsFuncSeq(tag, between) {
			if !filler[strings.ToLower(word)] {
				l.add(strings.TrimFunc(word, notWord))
			}
			if l.full() {
				return l.words
			}
		}
	}
	return l.words
}

// between reports what parts the words of a tag.
func between(r rune) bool {
	return r == ',' || r == ';' || r == '|' || r == '"' || unicode.IsSpace(r) || notText(r)
}

// notText is what no reader sees: controls, marks of direction, broken UTF-8.
func notText(r rune) bool { return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf) }

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// list is the keywords so far.
type list struct {
	words []string
	max   int
}

func (l *list) full() bool { return len(l.words) == l.max }

// add takes a word unless it is there, or a single letter of ASCII.
func (l *list) add(word string) {
	word = strings.ToLower(word)
	if len(word) > MaxBytes {
		end := MaxBytes
		for !utf8.RuneStart(word[end]) {
			end--
		}
		word = strings.TrimRightFunc(word[:end], notWord)
	}
	if len(word) < 2 || l.full() || l.has(word) {
		return
	}
	l.words = append(l.words, word)
}

func (l *list) has(word string) bool {
	for _, w := range l.words {
		if w == word {
			return true
		}
	}
	return false
}

// filler are words of phrases that match everywhere.
var filler = set("a an and are as at by for from in is it its my of on or our that the this to with your")

// routine are words of calls that tell what is done and not what about, and
// values that are no names.
var routine = set("add all any apply call check copy create delete describe do exec execute fetch fetches find " +
	"get help info insert invoke list load lookup make move new none null open patch post put query read remove " +
	"rename resolve run save scan search send set show start stop sync tool tools true false undefined update upload use " +
	"download view watch write yes no http https www com org net html json txt")

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
