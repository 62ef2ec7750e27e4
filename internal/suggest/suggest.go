// Package suggest finds the most likely correction of a misspelt name.
package suggest

import "strings"

// maxName is the length in bytes of the longest name that is compared.
const maxName = 64

// Nearest returns the candidate that is closest to name, or "" if none is close:
// at most one edit per three characters, ignoring case. If several candidates
// are equally close, the first one wins.
//
// An edit inserts, removes or replaces one character, or swaps two neighbours.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", len(name)/3+1
	low := strings.ToLower(name)
	for _, c := range candidates {
		if c == name || c == "" || len(c) > maxName || len(name) > maxName {
			continue
		}
		if d := distance(low, strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return onlyExtension(low, candidates)
	}
	return best
}

// DidYouMean returns the end of an error text that suggests the nearest
// candidate, or "" if none is close.
func DidYouMean(name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return `, did you mean "` + n + `"?`
	}
	return ""
}

// onlyExtension returns the only candidate that is a prefix of name or has name
// as a prefix ("summarise" and "summarise-tree"), or "" if there are none or several.
func onlyExtension(low string, candidates []string) string {
	found := ""
	for _, c := range candidates {
		l := strings.ToLower(c)
		if len(low) < 4 || len(l) < 4 || l == low {
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

// distance returns the optimal string alignment distance of a and b in bytes.
func distance(a, b string) int {
	beforePrev := make([]int, len(b)+1)
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
				cur[j] = min(cur[j], beforePrev[j-2]+1)
			}
		}
		beforePrev, prev, cur = prev, cur, beforePrev
	}
	return prev[len(b)]
}
