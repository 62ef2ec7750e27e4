package proxy

import (
	"strings"
	"unicode/utf16"
)

// instructions are those of joined within what a client shows of them.
func instructions(said string, all []greeting, limit int) string {
	return cutLines(joined(said, all), limit)
}

// joined is what controllers say and what the servers tell the model about
// themselves, each under its name if there are several.
func joined(said string, all []greeting) string {
	var texts []string
	if said = strings.TrimSpace(said); said != "" {
		texts = append(texts, said)
	}
	for _, g := range all {
		text := strings.TrimSpace(g.instructions)
		switch {
		case text == "":
		case len(all) == 1:
			texts = append(texts, g.instructions)
		default:
			texts = append(texts, g.server+":\n"+text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// characters counts text as clients do: UTF-16 units.
func characters(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// cutLines cuts text to at most limit UTF-16 units, as clients count, at the end
// of a line if there is one in the second half, else between two characters.
func cutLines(text string, limit int) string {
	units, cut := 0, 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > limit {
			text = text[:i]
			if cut = strings.LastIndexByte(text, '\n'); cut > i/2 {
				text = text[:cut]
			}
			return text
		}
	}
	return text
}
