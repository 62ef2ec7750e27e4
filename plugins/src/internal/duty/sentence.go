package duty

import (
	"slices"
	"strings"
)

// minWord is the minimum length of a longer word, in bytes.
const minWord = 4

// sentenceIndex is an index of the sentences of a text by their words.
type sentenceIndex struct {
	with   map[string][]int // ascending numbers of the sentences that contain a word
	binds  []bool           // by number: states a duty
	denies []bool
	hits   []int // by number: words found, reused
}

var (
	binding = []string{"must", "required", "requires", "require", "never", "shall", "mandatory"}
	denying = []string{"not", "never", "no", "none", "nothing", "cannot", "without", "forbidden", "prohibited", "t"} // t is the end of don't
)

func indexSentences(made string) *sentenceIndex {
	s := &sentenceIndex{with: make(map[string][]int)}
	for one := range splitSentences(made) {
		i := len(s.binds)
		all := splitWords(one)
		for word := range all {
			s.with[word] = append(s.with[word], i)
		}
		s.binds, s.denies = append(s.binds, hasAny(all, binding)), append(s.denies, hasAny(all, denying))
	}
	s.hits = make([]int, len(s.binds))
	return s
}

// contains reports whether a sentence contains each duty of a statement.
func (s *sentenceIndex) contains(statement string) bool {
	for one := range splitSentences(statement) {
		if IsDuty(one) && !s.containsOne(splitWords(one)) {
			return false
		}
	}
	return true
}

func (s *sentenceIndex) containsOne(duty map[string]bool) bool {
	clear(s.hits)
	all := 0
	for word := range duty {
		if len(word) < minWord {
			continue
		}
		all++
		for _, i := range s.with[word] {
			s.hits[i]++
		}
	}
	denies := hasAny(duty, denying)
	for i, n := range s.hits {
		if n*3 >= all*2 && s.binds[i] && s.denies[i] == denies {
			return true
		}
	}
	return false
}

func hasAny(all map[string]bool, any []string) bool {
	return slices.ContainsFunc(any, func(word string) bool { return all[word] })
}

// splitWords returns the set of words of a text in lower case.
func splitWords(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
		set[word] = true
	}
	return set
}
