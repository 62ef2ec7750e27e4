package greeting

import (
	"strings"
	"unicode/utf16"
)

// Instructions joins text, which mcpctl itself adds, and the instructions of the
// servers. Those of several servers follow the server's name.
func Instructions(text string, all []Server) string {
	var texts []string
	if text = strings.TrimSpace(text); text != "" {
		texts = append(texts, text)
	}
	for _, s := range all {
		trimmed := strings.TrimSpace(s.Instructions)
		switch {
		case trimmed == "":
		case len(all) == 1:
			texts = append(texts, s.Instructions)
		default:
			texts = append(texts, s.Name+":\n"+trimmed)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Characters returns the length of text in UTF-16 units, as clients count.
func Characters(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// Cut cuts text to at most limit UTF-16 units: at the end of a line if there is one in
// the second half, otherwise between two characters.
func Cut(text string, limit int) string {
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
