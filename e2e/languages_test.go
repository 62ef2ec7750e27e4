//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// languages are the languages of the SDKs. .ci/toolchains installs the compilers of
// Debian, npm the one of AssemblyScript. A rustc without the wasm32 target may come first
// in PATH: mcpctl continues the search.
var languages = []string{"go", "rust", "assemblyscript", "c"}

// author is a directory and an empty home, with compilers in PATH.
type author struct {
	t    *testing.T
	dir  string
	home string
}

func newAuthor(t *testing.T) *author {
	t.Helper()
	needNPM(t)
	dir := t.TempDir()
	return &author{t: t, dir: dir, home: filepath.Join(dir, "home")}
}

// try runs a program in the author's directory and returns its output.
func (a *author) try(name string, args ...string) (string, error) {
	a.t.Helper()
	program := name
	if name == "mcpctl" {
		program = bin(name)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), "MCPCTL_HOME="+a.home,
		"PATH="+filepath.Join(root(), "bin")+":"+cache("node_modules", ".bin")+":"+os.Getenv("PATH"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	a.t.Logf("%.1fs  %s %s\n%s", time.Since(start).Seconds(), filepath.Base(name), strings.Join(args, " "), out.String())
	return out.String(), err
}

func (a *author) run(name string, args ...string) string {
	a.t.Helper()
	out, err := a.try(name, args...)
	if err != nil {
		a.t.Fatalf("%s %s: %v", filepath.Base(name), strings.Join(args, " "), err)
	}
	return out
}

// From an empty home, two commands create, build and test a stage with a real compiler.
func TestFirstStageInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			a := newAuthor(t)
			a.run("mcpctl", "create", "stage", "first", "--lang", lang)
			a.run("mcpctl", "stage", "test", "first")
			if err := os.WriteFile(filepath.Join(a.dir, "text.md"), []byte("kept\n---\nin reach\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if out := a.run("sh", "-c", "mcpctl stage run first < text.md"); out != "kept\n" && out != "kept" {
				t.Errorf("the stage printed %q, want the text before the rule", out)
			}
			a.run("mcpctl", "apply", "-f", "first/try.yaml")
			a.run("mcpctl", "console", "--script", "first/session.yaml", "--project", "first")
		})
	}
}

// Two commands create, build and test a controller, which runs in a session.
func TestFirstControllerInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			a := newAuthor(t)
			a.run("mcpctl", "create", "stage", "mine", "--kind", "controller", "--lang", lang)
			a.run("mcpctl", "stage", "test", "mine")
			a.run("mcpctl", "apply", "-f", "mine/try.yaml")
			a.run("mcpctl", "console", "--script", "mine/session.yaml", "--project", "mine")
		})
	}
}

// Every example builds from source and passes its archives and the laws.
func TestExamplesFromSource(t *testing.T) {
	t.Parallel()
	a := newAuthor(t)
	copyTree(t, a.dir, "examples", "sdk-go", "sdk-rust", "sdk-assemblyscript", "abi/c")
	stages, err := filepath.Glob(filepath.Join(a.dir, "examples", "stages", "*", "plugin.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	controllers, err := filepath.Glob(filepath.Join(a.dir, "examples", "controllers", "*", "plugin.yaml"))
	manifests := append(stages, controllers...)
	if err != nil || len(manifests) < 2*len(languages) {
		t.Fatalf("%d examples, want a stage and a controller in each language (%v)", len(manifests), err)
	}
	for _, file := range manifests {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			(&author{t, a.dir, a.home}).run("mcpctl", "stage", "test", dir)
		})
	}
}

// The guest of the conformance kit, built from source with each SDK, passes the kit.
func TestKitGuestsFromSource(t *testing.T) {
	t.Parallel()
	a := newAuthor(t)
	copyTree(t, a.dir, "abi/tck/guests", "sdk-go", "sdk-rust", "sdk-assemblyscript", "abi/c")
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			a := &author{t, a.dir, a.home}
			a.run("make", "-C", "abi/tck/guests", lang, "MCPCTL=cd ../../.. && mcpctl", "RUSTC=/usr/bin/rustc", "CARGO=/usr/bin/cargo")
			cmd := exec.Command("go", "run", "./abi/tck/run", filepath.Join(a.dir, "abi", "tck", "dist", lang+".wasm"))
			cmd.Dir = root()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// copyTree copies the committed files of directories of the repository.
func copyTree(t *testing.T, to string, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		cmd := exec.Command("git", "ls-files", "-z", dir)
		cmd.Dir = root()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git ls-files %s: %v", dir, err)
		}
		for _, name := range strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }) {
			b, err := os.ReadFile(filepath.Join(root(), name))
			if err != nil {
				t.Fatal(err)
			}
			target := filepath.Join(to, name)
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(target, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
