package sdk

import (
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// covers P-118: whatever a stage is called, its sources are Go, and nothing of the
// example's name is left
func TestTemplateTakesAnyName(t *testing.T) {
	for _, tc := range []struct{ stage, fn, file string }{
		{"shout", "shout", "shout"},
		{"my-stage", "myStage", "my-stage"},
		{"summarize+index", "summarizeIndex", "summarize-index"},
		{"a.b_c", "aBC", "a.b-c"},
		{"only_linux", "onlyLinux", "only-linux"},
		{"3d", "run3d", "3d"},
		{"main", "runMain", "main"},
		{"func", "runFunc", "func"},
		{"stage", "runStage", "stage"},
	} {
		t.Run(tc.stage, func(t *testing.T) {
			files, err := GoTemplate(tc.stage, "/sdk dir/go")
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range files {
				names = append(names, f.Name)
				check(t, f, tc.fn)
			}
			for _, want := range []string{"README.md", "Makefile", "plugin.yaml", "go.mod", ".gitignore", tc.file + ".go", tc.file + "_test.go", "testdata/basic.txtar", "testdata/llm-fails.txtar"} {
				if !slices.Contains(names, want) {
					t.Errorf("no %s in %v", want, names)
				}
			}
		})
	}
}

var leftover = regexp.MustCompile(`(?i)\blead\b`)

func check(t *testing.T, f File, fn string) {
	t.Helper()
	if at := leftover.Find(f.Text); at != nil {
		t.Errorf("%s still says %q", f.Name, at)
	}
	switch {
	case path.Ext(f.Name) == ".go":
		if _, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, 0); err != nil {
			t.Error(err)
		}
		if nice, err := format.Source(f.Text); err != nil || string(nice) != string(f.Text) {
			t.Errorf("%s is not formatted: %v", f.Name, err)
		}
		if !strings.HasSuffix(f.Name, "_test.go") && !strings.Contains(string(f.Text), "func "+fn+"(c *stage.Ctx) error") {
			t.Errorf("%s has no function %s:\n%s", f.Name, fn, f.Text)
		}
	case f.Name == "go.mod" && !strings.Contains(string(f.Text), "=> `/sdk dir/go`"):
		t.Errorf("go.mod does not name the SDK:\n%s", f.Text)
	case f.Name == "README.md" && strings.Count(string(f.Text), "\n") > 15:
		t.Errorf("README.md has %d lines, limit 15", strings.Count(string(f.Text), "\n"))
	}
}
