package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// changesOf returns a diff of files with one hunk each.
func changesOf(n int, path func(i int) string) string {
	return parttest.Lines(n, func(i int) string {
		return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n%[2]s", path(i), strings.TrimSuffix(hunkText, "\n"))
	})
}

// directoriesOf returns the groups of a text, nested ones indented.
func directoriesOf(t *testing.T, text string) (by string, titles []string) {
	t.Helper()
	d, ok := Scan([]byte(text), part.Clues{})
	if !ok {
		t.Fatal("refused")
	}
	parttest.Check(t, []byte(text), d, nil)
	for i, line := range parttest.List(d) {
		if d.Parts[i].Kind == part.Group {
			titles = append(titles, line)
		}
	}
	return d.By, titles
}

func TestManyFilesAreGroupedByDirectory(t *testing.T) {
	for _, c := range []struct {
		rule, text string
	}{
		{"few files", changesOf(24, func(i int) string { return fmt.Sprintf("%d/x", i/8) })},
		{"one directory", changesOf(30, func(i int) string { return fmt.Sprintf("a/x%d", i) })},
		{"too many directories", changesOf(60, func(i int) string { return fmt.Sprintf("f%d/x%d", i/2, i) })},
		{"text between files", strings.ReplaceAll(changesOf(30, func(i int) string { return fmt.Sprintf("%d/x%d", i/10, i) }), "diff --git a/1/x15 ", "Only in a: z\ndiff --git a/1/x15 ")},
	} {
		if by, titles := directoriesOf(t, c.text); by != "" || titles != nil {
			t.Errorf("%s: by %q: %q, want none", c.rule, by, titles)
		}
	}
	text := changesOf(60, func(i int) string {
		switch {
		case i < 5:
			return fmt.Sprintf("src/a/x%d.go", i)
		case i < 59:
			return fmt.Sprintf("src/b/c/%d/y%d.go", i%2, i)
		}
		return "src/README.md"
	})
	by, titles := directoriesOf(t, text)
	want := `src/a | 5 files +5 -5: x0.go, x1.go, x2.go, x3.go, x4.go
src/b | 54 files +54 -54: c/1/y5.go, c/0/y6.go, c/1/y7.go, c/0/y8.go, c/1/y9.go, c/0/...
 src/b/c/1 | 27 files +27 -27: y5.go, y7.go, y9.go, y11.go, y13.go, y15.go, y17.go, y19.go...
 src/b/c/0 | 27 files +27 -27: y6.go, y8.go, y10.go, y12.go, y14.go, y16.go, y18.go, y20.g...`
	if got := strings.Join(titles, "\n"); by != "folder" || got != want {
		t.Errorf("%s\ngot\n%s\nwant\n%s", by, got, want)
	}
}

func TestCommitsAlone(t *testing.T) {
	log := func(suffix string) string {
		return strings.Repeat("commit "+hash+" (HEAD -> main)\nAuthor: A <a@example.org>\nDate:   Sat Nov 21 19:05:57 2026 +0000\n\n    Do it\n    \n    Because.\n"+suffix+"\n", 3)
	}
	for _, c := range []struct{ rule, text, title string }{
		{"git log", log(""), "Do it"},
		{"git log --stat", log("\n x.go | 3 +-\n y.go | 9 +\n 2 files changed, 11 insertions(+), 1 deletion(-)\n"), "Do it, 2 files +11 -1"},
		{"stat with deletions only", log("\n x.go | 1 -\n 1 file changed, 1 deletion(-)\n"), "Do it, 1 file +0 -1"},
	} {
		for _, clues := range []part.Clues{{}, parttest.Forced} {
			d, ok := Scan([]byte(c.text), clues)
			if !ok || d.Count != "3 commits" || len(d.Lines) > 0 {
				t.Errorf("%s: %t %v", c.rule, ok, d)
				continue
			}
			parttest.Check(t, []byte(c.text), d, nil)
			if got := parttest.List(d)[2]; got != "0123456789ab | "+c.title {
				t.Errorf("%s: %q, want %q", c.rule, got, c.title)
			}
		}
	}
	for rule, text := range map[string]string{
		"one commit":              log("")[:len(log(""))/3],
		"text before":             "The history:\n\n" + log(""),
		"commits without changes": strings.Repeat("commit "+hash+"\nWhat is that?\n", 20),
	} {
		if d, ok := Scan([]byte(text), part.Clues{}); ok {
			t.Errorf("%s: %s", rule, d.Count)
		}
	}
}
