// Package nearname finds the names that somebody may have meant.
package nearname

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxName is how much of a name is compared, in bytes: names are shorter.
const maxName = 128

// Of gives up to most of the names that are like a word, the nearest first; of equally
// near ones the order stays. A name is like it if it holds the word, or the word it, or
// if at most a third of the longer one must be changed.
func Of(word string, names []string, most int) []string {
	type candidate struct {
		name string
		far  int
	}
	var near []candidate
	w := strings.ToLower(clip(word))
	for _, name := range names {
		if far, ok := distance(w, strings.ToLower(clip(name))); ok {
			near = append(near, candidate{name, far})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.far - b.far })
	var found []string
	for _, c := range near[:min(len(near), most)] {
		found = append(found, c.name)
	}
	return found
}

// distance says how far two names are from each other. What holds the other is
// nearer than what has to be changed.
func distance(a, b string) (far int, near bool) {
	switch {
	case a == "" || b == "":
		return 0, false
	case a == b:
		return 0, true
	case len(a) > 2 && strings.Contains(b, a), len(b) > 2 && strings.Contains(a, b):
		return 1, true
	}
	far = Distance(a, b)
	return far + 1, 3*far <= max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
}

// Distance is the number of characters to be put in, taken out or replaced so that one
// word becomes the other (Levenshtein). It takes time as the product of the lengths.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			change := diagonal
			if r != s {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(to)]
}

func clip(name string) string {
	if len(name) > maxName {
		return name[:maxName]
	}
	return name
}
