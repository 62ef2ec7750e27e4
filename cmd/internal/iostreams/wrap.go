package iostreams

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text at blanks into lines of width characters at most; a word that is
// longer has a line of its own. Always one line at least.
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

// Reflow breaks the paragraphs of a text into lines of width characters. Indented lines
// and blank lines stay unchanged; a width of 0 changes nothing.
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
