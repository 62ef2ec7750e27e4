package names

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	maxSimilar = 3   // suggested names
	maxQuoted  = 128 // bytes of a client's name that are quoted or compared
)

// Similar returns a suggestion of the wire names that are most similar to an unknown
// one, for the end of an error message. It suggests names that share at least half of
// their letter pairs with wire and whose targets are accepted, and returns "" if there
// are none.
func (n *Table) Similar(wire string, isAccepted func(Target) bool) string {
	asked := pairs(wire[:min(len(wire), maxQuoted)])
	type candidate struct {
		name  string
		share float64
	}
	var near []candidate
	for _, name := range slices.Sorted(maps.Keys(n.targets)) {
		if share := sharedPairs(asked, pairs(name)); share >= 0.5 && isAccepted(n.targets[name]) {
			near = append(near, candidate{name, share})
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.SortStableFunc(near, func(x, y candidate) int { return cmp.Compare(y.share, x.share) })
	var quoted []string
	for _, c := range near[:min(len(near), maxSimilar)] {
		quoted = append(quoted, strconv.Quote(c.name))
	}
	return ", did you mean " + strings.Join(quoted, " or ") + "?"
}

// pairs counts the pairs of adjacent characters of a name, in lower case and as
// clients show it.
func pairs(name string) map[string]int {
	name = strings.ToLower(Clean(name))
	all := make(map[string]int, len(name))
	for i := 0; i+2 <= len(name); i++ {
		all[name[i:i+2]]++
	}
	return all
}

// sharedPairs returns the share of pairs that two names have in common, from 0 to 1.
func sharedPairs(x, y map[string]int) float64 {
	common, total := 0, 0
	for pair, n := range x {
		common += min(n, y[pair])
		total += n
	}
	for _, n := range y {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total)
}

// Quote quotes a name that a client sent, cut to a bounded length.
func Quote(name string) string {
	if len(name) <= maxQuoted {
		return strconv.Quote(name)
	}
	return strconv.Quote(name[:maxQuoted]) + "..."
}
