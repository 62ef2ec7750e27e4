package proxy

import (
	"strings"
	"unicode/utf16"
)

// instructions joins what controllers say and what the servers tell the model
// about themselves, each under its name if there are several, within what a client
// shows of it.
func instructions(said string, all []greeting, limit int) string {
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
	return cutLines(strings.Join(texts, "\n\n"), limit)
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
