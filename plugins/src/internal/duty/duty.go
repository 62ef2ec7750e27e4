// Package duty finds the statements of a text that nothing made of it may drop
// unnoticed: those with MUST, REQUIRED or NEVER.
package duty

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// words that make a line a duty, in capitals as RFC 2119 has them.
var duties = []string{"MUST", "REQUIRED", "NEVER"}

// States reports whether a line states a duty.
func States(line string) bool {
	if !strings.Contains(line, "MUST") && !strings.Contains(line, "REQUIRED") && !strings.Contains(line, "NEVER") {
		return false
	}
	for word := range strings.FieldsFuncSeq(line, notLetter) {
		if slices.Contains(duties, word) {
			return true
		}
	}
	return false
}

// Unsaid goes through the lines of a text that state a duty and that what was made
// of it does not hold. A line counts as held if two thirds of its longer words are
// there.
func Unsaid(text, made string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var said map[string]bool
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if !States(line) {
				continue
			}
			if said == nil {
				said = words(made)
			}
			if !holds(said, line) && !yield(line) {
				return
			}
		}
	}
}

func holds(said map[string]bool, line string) bool {
	found, all := 0, 0
	for word := range words(line) {
		if len(word) < 4 {
			continue
		}
		all++
		if said[word] {
			found++
		}
	}
	return found*3 >= all*2
}

// words is the set of words of a text in lower case.
func words(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), notLetter) {
		set[word] = true
	}
	return set
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Shorten cuts s at a rune border to at most n bytes.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
