//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/internal/docstest"
)

// The commands in docs/authoring.md run in order with an empty home, in each language with
// its real compiler, including the section on C. Go is included because this test uses the
// program that make builds, and the user's cache.
func TestAuthoringGuide(t *testing.T) {
	page := docsPage(t, "authoring.md")
	c, ok := docstest.Section(page, "## In C")
	if !ok {
		t.Fatal("the guide has no section on C")
	}
	pages := map[string]string{"Go": page, "Rust": page, "AssemblyScript": page, "C": c}
	least := map[string]int{"Go": 15, "Rust": 15, "AssemblyScript": 15, "C": 2}
	for language, page := range pages {
		t.Run(language, func(t *testing.T) {
			if n := newReader(t).follow(docstest.Steps(page, language)); n < least[language] {
				t.Errorf("%d commands, want at least %d: does the test still find them?", n, least[language])
			}
		})
	}
}

// Each call in the tables of the guide and of docs/controllers.md compiles and runs in a
// role of its language.
func TestTablesOfCalls(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"stage": docsPage(t, "authoring.md"), "controller": docsPage(t, "controllers.md")}
	for kind, page := range pages {
		for _, language := range []string{"Go", "Rust", "AssemblyScript"} {
			t.Run(kind+" "+language, func(t *testing.T) {
				steps, err := docstest.Words(page, kind, language)
				if err != nil {
					t.Fatal(err)
				}
				if language == "AssemblyScript" { // npm installs the compiler
					steps[0].Command += " && npm install --prefix words"
				}
				newReader(t).follow(steps)
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

// reader follows a page with compilers and an empty home.
type reader struct {
	t   *testing.T
	dir string
	env []string
}

// newReader returns a reader with a temporary home, because the page writes a client's file.
// Caches and toolchains in the old home remain available.
func newReader(t *testing.T) *reader {
	t.Helper()
	dir, old := t.TempDir(), os.Getenv("HOME")
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+home, "MCPCTL_HOME="+filepath.Join(home, ".mcpctl"), "PATH="+filepath.Join(root(), "bin")+":"+os.Getenv("PATH"))
	for name, subdir := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup", "npm_config_cache": ".npm", "npm_config_userconfig": ".npmrc", "GOPATH": "go", "GOCACHE": ".cache/go-build"} {
		if os.Getenv(name) == "" {
			env = append(env, name+"="+filepath.Join(old, subdir))
		}
	}
	return &reader{t, dir, env}
}

// follow runs the steps and returns the number of commands.
func (r *reader) follow(steps []docstest.Step) (ran int) {
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
