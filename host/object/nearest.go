package object

import "strings"

// maxNearest bounds the work of Nearest: longer names are never compared.
const maxNearest = 64

// Nearest returns the candidate that somebody who wrote name most likely meant,
// or "" if none is close: at most one edit in three characters, upper and lower
// case being the same. Of equally close ones the first wins.
//
// An edit is a character inserted, left out, replaced or swapped with its
// neighbour.
func Nearest(name string, candidates []string) string {
	best, bestDist := "", len(name)/3+1
	low := strings.ToLower(name)
	for _, c := range candidates {
		if c == name || c == "" || len(c) > maxNearest || len(name) > maxNearest {
			continue
		}
		if d := editDistance(low, strings.ToLower(c)); d < bestDist {
			best, bestDist = c, d
		}
	}
	if best == "" {
		return onlyExtension(low, candidates)
	}
	return best
}

// onlyExtension returns the one candidate that name begins or that begins name
// ("summarise" of "summarise-tree"), if there is exactly one.
func onlyExtension(low string, candidates []string) string {
	found := ""
	for _, c := range candidates {
		l := strings.ToLower(c)
		if len(low) < 4 || len(l) < 4 || c == "" || l == low {
			continue
		}
		if !strings.HasPrefix(l, low) && !strings.HasPrefix(low, l) {
			continue
		}
		if found != "" {
			return ""
		}
		found = c
	}
	return found
}

// editDistance is the optimal string alignment distance of a and b in bytes.
func editDistance(a, b string) int {
	before := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// didYouMean is the clause of an error text for a misspelt name, or "".
func didYouMean(name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return `, did you mean "` + n + `"?`
	}
	return ""
}
