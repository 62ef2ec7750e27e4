// Package duty finds the statements with MUST, REQUIRED or NEVER in a text, which a
// shorter version of the text must not drop unnoticed.
package duty

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// duties are the words that make a line a duty, in capitals as in RFC 2119.
var duties = []string{"MUST", "REQUIRED", "NEVER"}

// IsDuty reports whether a line states a duty.
func IsDuty(line string) bool {
	if !strings.Contains(line, "MUST") && !strings.Contains(line, "REQUIRED") && !strings.Contains(line, "NEVER") {
		return false
	}
	for word := range strings.FieldsFuncSeq(line, isSeparator) {
		if slices.Contains(duties, word) {
			return true
		}
	}
	return false
}

// Missing iterates over the duties in text that made, a text derived from it, does not
// contain. Each is returned once and on one line. made contains a duty if one of its
// sentences has two thirds of the longer words, is a duty, and has a negation exactly if
// the original has one. So "keys are rotated" does not contain "keys MUST be rotated",
// and "tokens MUST be logged" does not contain "tokens MUST NOT be logged".
func Missing(text, made string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var index *sentenceIndex
		seen := make(map[string]bool)
		for statement := range eachStatement(text) {
			if seen[statement] {
				continue
			}
			seen[statement] = true
			if index == nil {
				index = indexSentences(made)
			}
			if !index.contains(statement) && !yield(statement) {
				return
			}
		}
	}
}

func isSeparator(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// Shorten cuts s to at most n bytes at a rune boundary.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
