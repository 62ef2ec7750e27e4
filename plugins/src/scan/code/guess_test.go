package code

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// What leads is asked as soon as it does. If that is refused, those with the most
// lines of all are: a text may begin as another one goes on.
func TestCandidates(t *testing.T) {
	python := strings.Repeat("def f(self, x):\n    return self.x\n\n", 20)
	c := strings.Repeat("#include <a.h>\nstatic int f(int x)\n{\n\treturn x;\n}\n", 60)
	for _, row := range []struct {
		rule, text string
		want       []string // the first of them, * if it is far ahead
	}{
		{"one that leads", python, []string{"*python"}},
		{"too few lines for a leader", python[:90], []string{"*python"}},
		{"lines of two", python + c, []string{"*python", "*c"}},
		{"none", strings.Repeat("a line of words\n", 50), nil},
		{"a page", "\n<html>\n" + python, nil},
	} {
		var got []string
		candidates([]byte(row.text), func(l *language, clear bool) bool {
			name := l.name
			if clear {
				name = "*" + name
			}
			got = append(got, name)
			return len(got) < len(row.want)
		})
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.rule, got, row.want)
		}
	}
	if d, ok := Scan([]byte(strings.Repeat("import duties rose again\n", 20)+c), part.Clues{}); !ok || d.Lines[0] != "language: c" {
		t.Errorf("one that leads is refused: %t, %+v", ok, d)
	}
}

// Sources are told from their lines. A few have none that say so: they hold tables,
// or one long comment.
func TestLanguageOfSources(t *testing.T) {
	wrong, all := 0, 0
	for _, dir := range []string{"encoding/json", "go/parser", "io", "net/http", "net/url", "text/template"} {
		files, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(text, []byte("\nfunc ")) < 2 {
				continue
			}
			all++
			if d, ok := Scan(text, part.Clues{}); !ok || !strings.HasPrefix(d.Lines[0], "language: go") {
				t.Logf("%s: %t", file, ok)
				wrong++
			}
		}
	}
	if wrong*20 > all {
		t.Errorf("%d of %d sources are not told to be Go", wrong, all)
	}
}

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
		"import {a} from 'b' => ===", "append(authenticate, offset )", "endfi then", "  = 1; = 2;", "#include <a> // ->", every, strings.ReplaceAll(every, "|", ""),
	} {
		got := make([]int, len(languages))
		findTells([]byte(line), got)
		want := make([]int, len(languages))
		for _, l := range tells {
			of := slices.Index(languages, l.name)
			for has := range strings.SplitSeq(l.has, "|") {
				if holds(line, has) {
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

// holds reports whether a line holds a tell, at the start of a word if it is one.
func holds(line, tell string) bool {
	for at := 0; ; at++ {
		i := strings.Index(line[at:], tell)
		if i < 0 {
			return false
		}
		if at += i; at == 0 || !letter(tell[0]) || !letter(line[at-1]) {
			return true
		}
	}
}
