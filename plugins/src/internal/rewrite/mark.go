package rewrite

import (
	"strings"
	"unicode"
)

// Mark is the prefix of each line of an LLM.
const Mark = "> "

// AddMarks returns a text of an LLM after a line that describes it, with the mark before
// each line. So no line can pass for output of a built-in tool, an entry of an index or
// a quote of the original, even if the content misleads the LLM. Control characters that
// could steer a terminal are removed.
func AddMarks(head, text string) string {
	var b strings.Builder
	b.WriteString(head + ": the lines with >\n\n")
	for line := range strings.SplitSeq(strings.Map(mapRune, text), "\n") {
		b.WriteString(strings.TrimRight(Mark+line, " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// mapRune maps line separators to line feeds and removes control characters.
func mapRune(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case r == '\v', r == '\f', r == '\u0085', r == '\u2028', r == '\u2029':
		return '\n'
	case unicode.IsControl(r):
		return -1
	}
	return r
}
