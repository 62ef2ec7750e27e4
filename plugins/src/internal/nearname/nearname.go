// Package nearname suggests names for a misspelt one.
package nearname

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxName is the number of bytes of a name that are compared.
const maxName = 128

// Of returns up to most names that are similar to a word, nearest first; equal ones keep
// their order. A name is similar if one contains the other, or if at most a third of the
// longer one has to be changed.
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

// distance returns a measure of the difference of two names. A name that contains the
// other is nearer than one that has to be changed.
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

// Distance returns the Levenshtein distance of two words: the number of characters to
// insert, delete or replace. The time is proportional to the product of the lengths.
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
