package module

import (
	"fmt"
	"strings"
)

// didYouMean returns the clause of an error text that suggests the known word
// nearest to word, or "" if none is near.
func didYouMean(word string, known []string) string {
	best, distance := "", len(word)/3+1
	for _, k := range known {
		d := editDistance(word, k)
		if len(word) > 2 && (strings.HasPrefix(k, word) || strings.HasPrefix(word, k)) {
			d = 1
		}
		if d <= distance {
			best, distance = k, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// editDistance returns the number of letters to insert, delete or replace to get
// from a to b (Levenshtein).
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
