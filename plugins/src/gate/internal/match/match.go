// Package match finds the prompts that keywords ask for: G-013 as pure functions.
//
// A keyword matches a prompt if it occurs in its name, its summary or a chapter,
// whatever the case; blanks, hyphens and underscores are the same to it. The name
// counts because it is what a model was shown and will ask for.
package match

import (
	"cmp"
	"slices"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// Critical is the priority of prompts that are always sent.
const Critical = 10

// Match is how well keywords match one prompt.
type Match struct {
	Pos    int    // position of the prompt
	Tags   int    // keywords that match
	Points int    // 2 for each that starts a word somewhere, 1 for one inside of words
	Named  bool   // a keyword is the prompt's name
	Which  uint32 // the keywords that match, as bits
	key    uint64 // what comes first has the larger one
}

// Score is matching keywords by priority.
func (m Match) Score(priority int) int { return m.Tags * priority }

// enough reports whether a match selects a prompt. The more important one is, the
// less it takes: from priority 7 on a keyword anywhere, from 4 on one that starts
// a word or two within words, below two that start words, or all if fewer were
// given. A name that is asked for always does.
func (m Match) enough(priority, given int) bool {
	need := 4
	switch {
	case m.Named:
		return true
	case priority >= 7:
		need = 1
	case priority >= 4:
		need = 2
	}
	return m.Points >= min(need, 2*given)
}

// Rank gives the prompts that the keywords select, best first: those asked for by
// name, then by score, then in the order of the list, which is by priority, then
// by name. It takes up to 32 keywords.
func Rank(prompts []controller.Prompt, keywords []string) []Match {
	keywords = keywords[:min(len(keywords), 32)]
	if len(keywords) == 0 {
		return nil
	}
	f := newFinder(keywords)
	var found []Match
	for i := range prompts {
		p := &prompts[i]
		m := f.look(p)
		if m.Points == 0 || !m.enough(p.Priority, len(keywords)) {
			continue
		}
		m.Pos = i
		m.key = uint64(m.Score(p.Priority))<<32 | uint64(len(prompts)-i)
		if m.Named {
			m.key |= 1 << 63
		}
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b Match) int { return cmp.Compare(b.key, a.key) })
	return found
}
