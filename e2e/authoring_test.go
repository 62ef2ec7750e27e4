//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/internal/docstest"
)

// docs/authoring.md can be followed from top to bottom, from an empty home, in each
// language with its real compiler; and so can what it says of C. Go is here as well:
// this is the program that make builds, with the user's own cache.
func TestAuthoringGuide(t *testing.T) {
	page := docsPage(t, "authoring.md")
	c, ok := docstest.Section(page, "## In C")
	if !ok {
		t.Fatal("the guide says nothing of C")
	}
	pages := map[string]string{"Go": page, "Rust": page, "AssemblyScript": page, "C": c}
	least := map[string]int{"Go": 15, "Rust": 15, "AssemblyScript": 15, "C": 2}
	for language, page := range pages {
		t.Run(language, func(t *testing.T) {
			if n := newReader(t).takes(docstest.Steps(page, language)); n < least[language] {
				t.Errorf("%d commands, want at least %d: is the test blind?", n, least[language])
			}
		})
	}
}

// Each call in the tables of the guide and of docs/controllers.md does what it does in a
// role of that language.
func TestTablesOfCalls(t *testing.T) {
	pages := map[string]string{"stage": docsPage(t, "authoring.md"), "controller": docsPage(t, "controllers.md")}
	for kind, page := range pages {
		for _, language := range []string{"Go", "Rust", "AssemblyScript"} {
			t.Run(kind+" "+language, func(t *testing.T) {
				steps, err := docstest.Words(page, kind, language)
				if err != nil {
					t.Fatal(err)
				}
				if language == "AssemblyScript" { // npm brings the compiler
					steps[0].Command += " && npm install --prefix words"
				}
				newReader(t).takes(steps)
			})
		}
	}
}

func docsPage(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root(), "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// reader follows a page: somebody with compilers and an empty home.
type reader struct {
	t   *testing.T
	dir string
	env []string
}

// newReader gives them a home of their own, since the page writes into a client's
// file. What programs keep in the old one stays in reach.
func newReader(t *testing.T) *reader {
	t.Helper()
	dir, old := t.TempDir(), os.Getenv("HOME")
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+home, "MCPCTL_HOME="+filepath.Join(home, ".mcpctl"), "PATH="+filepath.Join(root(), "bin")+":"+os.Getenv("PATH"))
	for name, folder := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup", "npm_config_cache": ".npm", "npm_config_userconfig": ".npmrc", "GOPATH": "go", "GOCACHE": ".cache/go-build"} {
		if os.Getenv(name) == "" {
			env = append(env, name+"="+filepath.Join(old, folder))
		}
	}
	return &reader{t, dir, env}
}

// takes takes steps and counts the commands that were run.
func (r *reader) takes(steps []docstest.Step) (ran int) {
	r.t.Helper()
	for _, step := range steps {
		dir := filepath.Join(r.dir, step.Dir)
		if step.File != "" {
			if err := step.Write(dir); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		cmd := exec.Command("sh", "-c", step.Command)
		cmd.Dir, cmd.Env = dir, r.env
		out, err := cmd.CombinedOutput()
		r.t.Logf("%s\n%s", step.Command, out)
		if (err != nil) != step.Fails() {
			r.t.Fatalf("line %d: %s: %v", step.Line, step.Command, err)
		}
		if err := step.Shown(string(out)); err != nil {
			r.t.Fatal(err)
		}
		ran++
	}
	return ran
}
