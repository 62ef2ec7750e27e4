package duty

import (
	"slices"
	"strings"
)

// minWord is the minimum length of a longer word, in bytes.
const minWord = 4

// sentences is an index of the sentences of a text by their words.
type sentences struct {
	with   map[string][]int // ascending numbers of the sentences that contain a word
	binds  []bool           // by number: states a duty
	denies []bool
	hits   []int // by number: words found, reused
}

var (
	binding = []string{"must", "required", "requires", "require", "never", "shall", "mandatory"}
	denying = []string{"not", "never", "no", "none", "nothing", "cannot", "without", "forbidden", "prohibited", "t"} // t is the end of don't
)

func read(made string) *sentences {
	s := &sentences{with: make(map[string][]int)}
	for one := range split(made) {
		i := len(s.binds)
		all := words(one)
		for word := range all {
			s.with[word] = append(s.with[word], i)
		}
		s.binds, s.denies = append(s.binds, has(all, binding)), append(s.denies, has(all, denying))
	}
	s.hits = make([]int, len(s.binds))
	return s
}

// hold reports whether a sentence contains each duty of a statement.
func (s *sentences) hold(statement string) bool {
	for one := range split(statement) {
		if States(one) && !s.holdOne(words(one)) {
			return false
		}
	}
	return true
}

func (s *sentences) holdOne(duty map[string]bool) bool {
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
	denies := has(duty, denying)
	for i, n := range s.hits {
		if n*3 >= all*2 && s.binds[i] && s.denies[i] == denies {
			return true
		}
	}
	return false
}

func has(all map[string]bool, any []string) bool {
	return slices.ContainsFunc(any, func(word string) bool { return all[word] })
}

// words returns the set of words of a text in lower case.
func words(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), notLetter) {
		set[word] = true
	}
	return set
}
