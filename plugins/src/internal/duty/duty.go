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

// Unsaid goes through the statements of duties in a text that what was made of it
// does not hold, each once and on one line. One is held if for each duty in it a
// sentence has two thirds of its longer words, says it as a duty, and denies as the
// original does: "keys are rotated" and "tokens MUST be logged" hold neither "keys
// MUST be rotated" nor "tokens MUST NOT be logged".
func Unsaid(text, made string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var said *sentences
		seen := make(map[string]bool)
		for statement := range statements(text) {
			if seen[statement] {
				continue
			}
			seen[statement] = true
			if said == nil {
				said = read(made)
			}
			if !said.hold(statement) && !yield(statement) {
				return
			}
		}
	}
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
