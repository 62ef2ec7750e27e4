package guess

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/scan/code/language"
)

// A language that leads is tried as soon as it does. If the caller refuses it, the languages with
// the most lines of all follow, because the start of a text may be in another language.
func TestCandidates(t *testing.T) {
	python := strings.Repeat("def f(self, x):\n    return self.x\n\n", 20)
	c := strings.Repeat("#include <a.h>\nstatic int f(int x)\n{\n\treturn x;\n}\n", 60)
	for _, row := range []struct {
		rule, text string
		want       []string // the first candidates, with * if far ahead
	}{
		{"a language leads", python, []string{"*python"}},
		{"too few lines for a leader", python[:90], []string{"*python"}},
		{"lines of two languages", python + c, []string{"*python", "*c"}},
		{"prose", strings.Repeat("a line of words\n", 50), nil},
		{"HTML page", "\n<html>\n" + python, nil},
	} {
		var got []string
		Candidates([]byte(row.text), func(l *language.Language, lead Lead) bool {
			name := l.Name
			if lead.Clear {
				name = "*" + name
			}
			got = append(got, name)
			return len(got) < len(row.want)
		})
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.rule, got, row.want)
		}
	}
}

// One pass over a line for all idioms agrees with a search for each.
func TestScoreIdioms(t *testing.T) {
	all := names()
	every := ""
	for _, l := range idioms {
		every += l.has
	}
	for _, line := range []string{
		"func (x *T) f() (err error) {", "def f(self, x): return self.x", "x", "$", "a@", "CREATE TABLE a ( id NOT NULL );",
		"import {a} from 'b' => ===", "append(authenticate, offset )", "endfi then", "  = 1; = 2;", "#include <a> // ->", every, strings.ReplaceAll(every, "|", ""),
	} {
		got := make([]int, len(all))
		scoreIdioms([]byte(line), got)
		want := make([]int, len(all))
		for _, l := range idioms {
			of := slices.Index(all, l.name)
			for has := range strings.SplitSeq(l.has, "|") {
				if contains(line, has) {
					want[of]++
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	none := make([]int, len(all))
	for i := range none {
		none[i] = hopeless
	}
	if scoreIdioms([]byte(every), none); slices.Max(none) > hopeless {
		t.Errorf("the score of a hopeless language rises: %v", none)
	}
}

// contains reports whether a line contains an idiom, at the start of a word if the idiom is a word.
func contains(line, idiom string) bool {
	for at := 0; ; at++ {
		i := strings.Index(line[at:], idiom)
		if i < 0 {
			return false
		}
		if at += i; at == 0 || !isLetter(idiom[0]) || !isLetter(line[at-1]) {
			return true
		}
	}
}
