package codescan

import (
	"slices"
	"strings"
	"testing"
)

// What a line tells is what it holds, whatever stands beside it: the pass over
// all tells at once agrees with a search for each.
func TestTellsOfALine(t *testing.T) {
	languages := names()
	every := ""
	for _, l := range tells {
		every += l.has
	}
	for _, line := range []string{
		"func (x *T) f() (err error) {", "def f(self, x): return self.x", "x", "$", "a@", "CREATE TABLE a ( id NOT NULL );",
		"import {a} from 'b' => ===", "  = 1; = 2;", "#include <a> // ->", every, strings.ReplaceAll(every, "|", ""),
	} {
		got := make([]int, len(languages))
		findTells([]byte(line), got)
		want := make([]int, len(languages))
		for _, l := range tells {
			of := slices.Index(languages, l.name)
			for has := range strings.SplitSeq(l.has, "|") {
				if strings.Contains(line, has) {
					want[of]++
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	none := make([]int, len(languages))
	for i := range none {
		none[i] = hopeless
	}
	if findTells([]byte(every), none); slices.Max(none) > hopeless {
		t.Errorf("a language that is out of the question comes back: %v", none)
	}
}
