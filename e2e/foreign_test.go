//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// foreignExamples are the stages of examples/foreign, each with the command of its README
// that builds its module, and the path of the module.
var foreignExamples = map[string]struct {
	module string
	env    []string
	build  []string
}{
	"errors-extism-go":            {"errors.wasm", []string{"GOOS=wasip1", "GOARCH=wasm"}, []string{"go", "build", "-buildmode=c-shared", "-ldflags=-w", "-o", "errors.wasm", "."}},
	"plain-extism-assemblyscript": {"plain.wasm", nil, []string{"npm", "run", "build"}},
	"gofmt-wasi":                  {"gofmt.wasm", []string{"GOOS=wasip1", "GOARCH=wasm"}, []string{"go", "build", "-trimpath", "-ldflags=-w", "-o", "gofmt.wasm", "cmd/gofmt"}},
}

// Modules that third-party tools build from source can be packed and pass their archives and
// the laws. They equal the committed modules if the compiler is pinned.
func TestForeignExamplesFromSource(t *testing.T) {
	needNPM(t)
	dirs, _ := filepath.Glob(filepath.Join(root(), "examples", "foreign", "*"))
	if len(dirs) != len(foreignExamples) {
		t.Errorf("%d directories, but the test builds %d", len(dirs), len(foreignExamples))
	}
	for name, x := range foreignExamples {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(root(), "examples", "foreign", name))); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(cache("node_modules"), filepath.Join(dir, "node_modules")); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(x.build[0], x.build[1:]...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), x.env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Setenv("MCPCTL_HOME", filepath.Join(t.TempDir(), "home"))
			inDirectory(t, dir, bin("mcpctl"), "stage", "pack", ".", "--module", x.module)
			inDirectory(t, dir, bin("mcpctl"), "stage", "test", "--module", x.module)
			built, err := os.ReadFile(filepath.Join(dir, x.module))
			if err != nil {
				t.Fatal(err)
			}
			committed, err := os.ReadFile(filepath.Join(root(), "examples", "dist", name+".wasm"))
			if err != nil {
				t.Fatal(err)
			}
			if x.env == nil && !bytes.Equal(built, committed) { // modules built with Go differ between its releases
				t.Errorf("examples/dist/%s.wasm (%d bytes) differs from the module built from source (%d bytes)", name, len(committed), len(built))
			}
		})
	}
}
