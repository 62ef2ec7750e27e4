// Package match selects prompts by keywords.
//
// A keyword matches a prompt if it occurs in its name, its summary or a chapter. Case
// is ignored; blanks, hyphens and underscores are equal. The name counts because a
// model has seen it and asks for it.
package match

import (
	"math"
	"slices"
)

// Critical is the priority of prompts that are always sent.
const Critical = 10

// Rank returns the positions of the prompts that the keywords select, best first.
// Prompts asked for by name come first, then the order is by score (matching
// keywords times priority), then by list position. Only the first 32 keywords count.
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
			if !m.isEnough(priority, len(keywords)) {
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

// matched describes how well keywords match one prompt.
type matched struct {
	tags   int  // keywords that match
	points int  // 2 for each keyword that starts a word, 1 for each found only inside words
	named  bool // a keyword is the prompt's name
}

// isEnough reports whether a match selects a prompt. Important prompts need less:
// from priority 7 one keyword anywhere, from 4 one that starts a word or two inside
// words, and below that two that start words, or all keywords if fewer were given.
// A prompt asked for by name always matches.
func (m matched) isEnough(priority, given int) bool {
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
