package iostreams

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text at blanks into lines of at most width characters. A longer word gets its
// own line. The result has at least one line.
func Wrap(text string, width int) []string {
	lines := []string{""}
	used := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		last := len(lines) - 1
		switch {
		case used == 0:
			lines[last], used = word, n
		case used+1+n <= width:
			lines[last] += " " + word
			used += 1 + n
		default:
			lines, used = append(lines, word), n
		}
	}
	return lines
}

// Reflow breaks the paragraphs of text into lines of at most width characters. Indented and
// blank lines are unchanged. A width of 0 changes nothing.
func Reflow(text string, width int) string {
	if width == 0 {
		return text
	}
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, Wrap(strings.Join(paragraph, " "), width)...)
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}
