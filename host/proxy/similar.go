package proxy

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	maxSimilar = 3   // names that are suggested
	maxClipped = 128 // bytes of a name of the client's that are repeated or compared
)

// similar suggests the tools whose names are most like one that is not known:
// those that share at least half of their pairs of letters with it.
func (t *toolset) similar(wire string) string {
	asked := pairs(wire[:min(len(wire), maxClipped)])
	type candidate struct {
		name  string
		share float64
	}
	var near []candidate
	for _, name := range slices.Sorted(maps.Keys(t.names.byWire)) {
		if share := sharedPairs(asked, pairs(name)); share >= 0.5 {
			near = append(near, candidate{name, share})
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.SortStableFunc(near, func(x, y candidate) int { return cmp.Compare(y.share, x.share) })
	var names []string
	for _, c := range near[:min(len(near), maxSimilar)] {
		names = append(names, strconv.Quote(c.name))
	}
	return ", did you mean " + strings.Join(names, " or ") + "?"
}

// pairs counts the pairs of neighbouring letters of a name, without regard to
// case and to how a client spells what is no letter.
func pairs(name string) map[string]int {
	name = strings.ToLower(shown(name))
	all := make(map[string]int, len(name))
	for i := 0; i+2 <= len(name); i++ {
		all[name[i:i+2]]++
	}
	return all
}

// sharedPairs is the share of pairs that two names have in common, from 0 to 1.
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

// clipped quotes a name that a client sent, however long it is.
func clipped(name string) string {
	if len(name) <= maxClipped {
		return strconv.Quote(name)
	}
	return strconv.Quote(name[:maxClipped]) + "..."
}
