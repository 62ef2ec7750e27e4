// Package match finds the prompts that keywords ask for.
//
// A keyword matches a prompt if it occurs in its name, its summary or a chapter,
// whatever the case; blanks, hyphens and underscores are the same to it. The name
// counts because it is what a model was shown and will ask for.
package match

import (
	"math"
	"slices"
)

// Critical is the priority of prompts that are always sent.
const Critical = 10

// Rank gives the positions of the prompts that the keywords select, best first:
// those asked for by name, then by score, which is matching keywords by priority,
// then in the order of the list, which is by priority, then by name. It takes up to
// 32 keywords.
func Rank(prompts *List, keywords []string) []int {
	keywords = keywords[:min(len(keywords), 32)]
	if len(keywords) == 0 {
		return nil
	}
	f := newFinder(keywords)
	var keys []uint64
	for page := range prompts.source.Pages() {
		f.search(page, func(i int, m matched) {
			priority := page.Priorities[i]
			if !m.enough(priority, len(keywords)) {
				return
			}
			key := uint64(m.tags*priority)<<32 | uint64(page.First+i) ^ math.MaxUint32
			if m.named {
				key |= 1 << 63
			}
			keys = append(keys, key)
		})
	}
	slices.Sort(keys)
	found := make([]int, len(keys))
	for i, key := range keys {
		found[len(keys)-1-i] = int(uint32(key) ^ math.MaxUint32)
	}
	return found
}

// matched is how well keywords match one prompt.
type matched struct {
	tags   int  // keywords that match
	points int  // 2 for each that starts a word somewhere, 1 for one inside of words
	named  bool // a keyword is the prompt's name
}

// enough reports whether a match selects a prompt. The more important one is, the
// less it takes: from priority 7 on a keyword anywhere, from 4 on one that starts
// a word or two within words, below two that start words, or all if fewer were
// given. A name that is asked for always does.
func (m matched) enough(priority, given int) bool {
	need := 4
	switch {
	case m.named:
		return true
	case priority >= 7:
		need = 1
	case priority >= 4:
		need = 2
	}
	return m.points >= min(need, 2*given)
}
