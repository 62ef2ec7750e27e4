package outline

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/nearname"
)

const (
	maxCompared = 2000 // headings that are compared with a name
	maxWord     = 48   // bytes of a title that are compared
)

// Nearest returns up to most headings, the most similar to a name first: those that share
// most words with it, then those with the fewest changed characters, then the first ones of
// the text.
func (o *Outline) Nearest(name string, most int) []int {
	last := normalize(name[strings.LastIndexByte(strings.TrimRight(name, "/ "), '/')+1:])
	words := wordsOf(last)
	type candidate struct{ heading, shared, changes int }
	list := make([]candidate, 0, min(len(o.Headings), maxCompared))
	for i := range o.Headings[:min(len(o.Headings), maxCompared)] {
		title := o.Headings[i].name
		c := candidate{heading: i}
		for _, w := range wordsOf(title) {
			if slices.Contains(words, w) {
				c.shared++
			}
		}
		// Beyond half of the title, the number of changes means nothing.
		a, b := clip(last), clip(title)
		half := max(len(a), len(b)) / 2
		if c.changes = half; max(len(a), len(b))-min(len(a), len(b)) < half {
			c.changes = min(nearname.Distance(a, b), half)
		}
		if c.changes == half {
			c.changes = maxWord
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.changes, b.changes))
	})
	found := make([]int, 0, most)
	for _, c := range list[:min(most, len(list))] {
		found = append(found, c.heading)
	}
	return found
}

// wordsOf returns the words of a name that are long enough to distinguish it.
func wordsOf(name string) (words []string) {
	for w := range strings.SplitSeq(slugOf(clipTo(name, 4*maxWord)), "-") {
		if len(w) > 2 && len(words) < 16 {
			words = append(words, w)
		}
	}
	return words
}

func clip(name string) string { return clipTo(name, maxWord) }

// clipTo returns up to limit bytes of a text, cut between characters.
func clipTo(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
