package rewrite

import (
	"strings"
	"unicode"
)

// Mark is how each line of an LLM begins, where a client reads it.
const Mark = "> "

// Marked is a text of an LLM as a client reads it, below a line that says what it
// is: each line of it begins with the mark. So none can pass for a line of a tool
// of ours, an entry of an index or a quote from the original, whatever the content
// has talked the LLM into. What steers a terminal is left out.
func Marked(head, text string) string {
	var b strings.Builder
	b.WriteString(head + ": the lines with >\n\n")
	for line := range strings.SplitSeq(strings.Map(printed, text), "\n") {
		b.WriteString(strings.TrimRight(Mark+line, " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// printed maps other ends of lines to ours, and leaves out what is not printed.
func printed(r rune) rune {
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
