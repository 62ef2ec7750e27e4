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

// covers P-118: whatever a plugin is called, its sources are Go, and nothing of the
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
			files, err := GoStage(tc.stage, "/sdk dir/go")
			checkFiles(t, files, err, "func "+tc.fn+"(c *stage.Ctx) error", tc.file, "testdata/basic.txtar", "testdata/llm-fails.txtar")
			files, err = GoController(tc.stage, "/sdk dir/go")
			checkFiles(t, files, err, `controller.Register("`+tc.stage+`", `, tc.file, "try.yaml", "session.yaml")
		})
	}
}

// checkFiles: the files that all plugins have and more, one of them with the code.
func checkFiles(t *testing.T, files []File, err error, code, file string, more ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		check(t, f, code)
	}
	for _, want := range append(more, "README.md", "Makefile", "plugin.yaml", "go.mod", ".gitignore", ".github/workflows/test.yml", file+".go", file+"_test.go") {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
}

// The example's name is a word of the new one, and of the folder of the SDK.
func TestTemplateReplacesItsNameOnce(t *testing.T) {
	for name, template := range map[string]func(string, string) ([]File, error){"lead": GoStage, "brake": GoController} {
		files, err := template("my-"+name, "/home/"+name+"/$1/sdk")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			switch text := string(f.Text); {
			case strings.Contains(text, "my-my-"):
				t.Errorf("%s has the name twice:\n%s", f.Name, text)
			case f.Name == "go.mod" && (!strings.HasPrefix(text, "module stages.local/my-"+name+"\n") || !strings.Contains(text, "=> /home/"+name+"/$1/sdk\n")):
				t.Errorf("go.mod:\n%s", text)
			}
		}
	}
}

var leftover = regexp.MustCompile(`(?i)\b(lead|brake)\b`)

func check(t *testing.T, f File, code string) {
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
		if !strings.HasSuffix(f.Name, "_test.go") && !strings.Contains(string(f.Text), code) {
			t.Errorf("%s has no %s:\n%s", f.Name, code, f.Text)
		}
	case f.Name == "go.mod" && !strings.Contains(string(f.Text), "=> `/sdk dir/go`"):
		t.Errorf("go.mod does not name the SDK:\n%s", f.Text)
	case f.Name == "README.md" && strings.Count(string(f.Text), "\n") > 15:
		t.Errorf("README.md has %d lines, limit 15", strings.Count(string(f.Text), "\n"))
	}
}
