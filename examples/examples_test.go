package examples

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// linked makes the test depend on the SDK, so that go test does not use a cached result
// after a change of the SDK.
var linked = []any{stagetest.RunArchives, controllertest.Ref}

// templates are the examples that mcpctl create stage copies, README included.
var templates = []string{"lead", "brake"}

// The Go examples are complete, their tests pass, and the command in the README builds
// a module.
func TestGoPlugins(t *testing.T) {
	stages, _ := filepath.Glob("stages/*-go")
	controllers, _ := filepath.Glob("controllers/*-go")
	if len(stages) == 0 || len(controllers) == 0 {
		t.Fatalf("stages %v, controllers %v: want some of each", stages, controllers)
	}
	for _, dir := range append(stages, controllers...) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			name := strings.TrimSuffix(filepath.Base(dir), "-go")
			files := []string{"plugin.yaml", name + ".go", name + "_test.go", "go.mod", ".gitignore", ".github/workflows/test.yml"}
			if slices.Contains(stages, dir) {
				files = append(files, "testdata/basic.txtar")
			}
			for _, file := range files {
				if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
					t.Error(err)
				}
			}
			readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			most := 45
			if slices.Contains(templates, name) {
				most = 15
			}
			if n := bytes.Count(readme, []byte("\n")); n > most {
				t.Errorf("README.md has %d lines, limit %d", n, most)
			}
			readAll(t, dir)
			run(t, dir, nil, "go", "vet", "./...")
			run(t, dir, nil, "go", "test", "./...")
			if testing.Short() {
				return
			}
			out := filepath.Join(t.TempDir(), name+".wasm")
			run(t, dir, []string{"GOOS=wasip1", "GOARCH=wasm"}, "go", "build", "-buildmode=c-shared", "-ldflags=-w", "-o", out, ".")
			if !bytes.Contains(readme, []byte("GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-w -o "+name+".wasm .")) {
				t.Error("README.md does not give the command that builds the module")
			}
		})
	}
}

// The table of README.md lists every directory, and the size of each committed module
// within a tenth.
func TestREADMEListsTheExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| \[([\w-]+)\]\(([\w/-]+)\) \|.*\| ([\d.]+) (KB|MB) \|$`)
	listed := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(string(readme), -1) {
		name, dir := m[1], m[2]
		listed[dir] = true
		info, err := os.Stat(filepath.Join("dist", name+".wasm"))
		if err != nil {
			continue // of a template in Go
		}
		listedSize, _ := strconv.ParseFloat(m[3], 64)
		listedSize *= map[string]float64{"KB": 1e3, "MB": 1e6}[m[4]]
		if size := float64(info.Size()); size > listedSize*1.1 || size < listedSize*0.9 {
			t.Errorf("%s has %d bytes, %s %s in README.md", name, info.Size(), m[3], m[4])
		}
	}
	dirs, _ := filepath.Glob("*/*/plugin.yaml")
	for _, f := range dirs {
		if dir := filepath.ToSlash(filepath.Dir(f)); !listed[dir] {
			t.Errorf("README.md does not list %s", dir)
		}
	}
	if len(listed) != len(dirs) {
		t.Errorf("README.md lists %d directories, want %d", len(listed), len(dirs))
	}
}

// readAll reads the files that the result depends on, so that go test does not use a
// cached result after a change.
func readAll(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v:\n%s", strings.Join(args, " "), err, out)
	}
}
