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

// linked keeps the SDK in the test's program, so that a result is not taken from
// the cache when the SDK has changed.
var linked = []any{stagetest.RunArchives, controllertest.Ref}

// templates are what mcpctl create stage copies: their READMEs are an author's to begin with.
var templates = []string{"lead", "brake"}

// covers P-118: the folder that mcpctl create stage copies is complete, its tests
// pass and the command in its README builds a module. So it is with a controller.
func TestGoPlugins(t *testing.T) {
	stages, _ := filepath.Glob("stages/*-go")
	controllers, _ := filepath.Glob("controllers/*-go")
	if len(stages) == 0 || len(controllers) == 0 {
		t.Fatalf("stages %v, controllers %v: want some of each", stages, controllers)
	}
	for _, folder := range append(stages, controllers...) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			name := strings.TrimSuffix(filepath.Base(folder), "-go")
			files := []string{"plugin.yaml", name + ".go", name + "_test.go", "go.mod", ".gitignore", ".github/workflows/test.yml"}
			if slices.Contains(stages, folder) {
				files = append(files, "testdata/basic.txtar")
			}
			for _, file := range files {
				if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
					t.Error(err)
				}
			}
			readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
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
			readAll(t, folder)
			run(t, folder, nil, "go", "vet", "./...")
			run(t, folder, nil, "go", "test", "./...")
			if testing.Short() {
				return
			}
			out := filepath.Join(t.TempDir(), name+".wasm")
			run(t, folder, []string{"GOOS=wasip1", "GOARCH=wasm"}, "go", "build", "-buildmode=c-shared", "-ldflags=-w", "-o", out, ".")
			if !bytes.Contains(readme, []byte("GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -ldflags=-w -o "+name+".wasm .")) {
				t.Error("README.md does not give the command that builds the module")
			}
		})
	}
}

// The table of README.md names every folder, and the size of each module that is
// committed, to a tenth.
func TestREADMEListsTheExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| \[([\w-]+)\]\(([\w/-]+)\) \|.*\| ([\d.]+) (KB|MB) \|$`)
	listed := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(string(readme), -1) {
		name, folder := m[1], m[2]
		listed[folder] = true
		info, err := os.Stat(filepath.Join("dist", name+".wasm"))
		if err != nil {
			continue // of a template in Go
		}
		said, _ := strconv.ParseFloat(m[3], 64)
		said *= map[string]float64{"KB": 1e3, "MB": 1e6}[m[4]]
		if size := float64(info.Size()); size > said*1.1 || size < said*0.9 {
			t.Errorf("%s is %d bytes, README.md says %s %s", name, info.Size(), m[3], m[4])
		}
	}
	folders, _ := filepath.Glob("*/*/plugin.yaml")
	for _, f := range folders {
		if folder := filepath.ToSlash(filepath.Dir(f)); !listed[folder] {
			t.Errorf("README.md does not list %s", folder)
		}
	}
	if len(listed) != len(folders) {
		t.Errorf("README.md lists %d folders, there are %d", len(listed), len(folders))
	}
}

// readAll tells go test on which files the result depends.
func readAll(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
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
