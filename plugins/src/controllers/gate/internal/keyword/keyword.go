// Package keyword extracts keywords from the tags and tool calls of a client.
// Keywords are a few short words in lower case. The input may have any size and any bytes.
package keyword

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of the result.
const (
	MaxTags  = 24 // keywords from tags
	MaxCall  = 10 // keywords from a call
	MaxBytes = 64 // bytes of one keyword; longer ones are cut
)

// FromTags returns keywords of tags. A tag may be a phrase, which is split into
// words; hyphens inside a word stay. Filler words, duplicates and keywords beyond
// MaxTags are dropped.
func FromTags(tags []string) []string {
	l := list{max: MaxTags}
	for _, tag := range tags {
		for word := range strings.FieldsFuncSeq(tag, isTagSeparator) {
			if !filler[strings.ToLower(word)] {
				l.add(strings.TrimFunc(word, notWord))
			}
			if l.isFull() {
				return l.words
			}
		}
	}
	return l.words
}

// isTagSeparator reports whether a rune separates words of a tag.
func isTagSeparator(r rune) bool {
	return r == ',' || r == ';' || r == '|' || r == '"' || unicode.IsSpace(r) || isInvisible(r)
}

// isInvisible reports whether a rune is invisible: a control, a direction mark or invalid UTF-8.
func isInvisible(r rune) bool { return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf) }

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// list collects keywords.
type list struct {
	words []string
	max   int
}

func (l *list) isFull() bool { return len(l.words) == l.max }

// add adds a word unless it is a duplicate or a single ASCII letter.
func (l *list) add(word string) {
	word = strings.ToLower(word)
	if len(word) > MaxBytes {
		end := MaxBytes
		for !utf8.RuneStart(word[end]) {
			end--
		}
		word = strings.TrimRightFunc(word[:end], notWord)
	}
	if len(word) < 2 || l.isFull() || l.has(word) {
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
var filler = newSet("a an and are as at by for from in is it its my of on or our that the this to with your")

// routine are words in calls that name an action instead of a topic, and values
// that are no names.
var routine = newSet("add all any apply call check copy create delete describe do exec execute fetch fetches find " +
	"get help info insert invoke list load lookup make move new none null open patch post put query read remove " +
	"rename resolve run save scan search send set show start stop sync tool tools true false undefined update upload use " +
	"download view watch write yes no http https www com org net html json txt")

func newSet(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
