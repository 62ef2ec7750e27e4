// Package testguest builds guests with the real compiler and checks their exports and
// imports.
package testguest

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A module of the SDK imports only the functions that its roles call, so that it needs no
// other capability.
func TestGuests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for wasip1")
	}
	tests := []struct {
		guest     string
		maxBytes  int
		hooks     bool
		namespace []string
		without   []string
	}{
		{"hello", 2_100_000, false, []string{"mcpctl:core/v1", "wasi_snapshot_preview1"}, []string{"cache_get", "cache_set", "section_add", "path_open"}},
		{"roles", 2_300_000, false, []string{"mcpctl:core/v1", "mcpctl:llm/v1", "wasi_snapshot_preview1"}, []string{"path_open"}},
		{"turnstile", 2_120_000, true, []string{"mcpctl:core/v1", "mcpctl:session/v1", "wasi_snapshot_preview1"}, []string{"cache_set", "section_add", "tools", "prompts", "notify", "path_open"}},
	}
	readSources(t)
	for _, tt := range tests {
		t.Run(tt.guest, func(t *testing.T) {
			file := build(t, "./"+tt.guest)
			if len(file) > tt.maxBytes {
				t.Errorf("module is %d bytes, limit %d: does it link fmt, os or time?", len(file), tt.maxBytes)
			}
			exports, imports := surface(t, file)
			want := []string{"_initialize", "mcpctl_abi_v1", "mcpctl_stage", "memory"}
			if tt.hooks {
				want = append(want, "mcpctl_on_close", "mcpctl_on_initialize", "mcpctl_on_tool_call", "mcpctl_on_tool_result", "mcpctl_on_tools_list")
				slices.Sort(want)
			}
			if !slices.Equal(exports, want) {
				t.Errorf("exports %v, want %v", exports, want)
			}
			var namespaces []string
			for _, i := range imports {
				if !slices.Contains(namespaces, i.module) {
					namespaces = append(namespaces, i.module)
				}
				if slices.Contains(tt.without, i.name) {
					t.Errorf("imports %s, want no unused imports", i.name)
				}
			}
			if slices.Sort(namespaces); !slices.Equal(namespaces, tt.namespace) {
				t.Errorf("imports from %v, want %v", namespaces, tt.namespace)
			}
			t.Logf("%s: %d bytes, %d imports", tt.guest, len(file), len(imports))
		})
	}
}

// readSources reads the files that the result depends on, so that go test does not use a
// cached result after a change.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, pkg string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			t.Skip("no go command")
		}
		t.Fatalf("%v:\n%s", err, text)
	}
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

type imported struct{ module, name string }

// surface returns the sorted exports and the imports of a module.
func surface(t *testing.T, file []byte) (exports []string, imports []imported) {
	t.Helper()
	if !strings.HasPrefix(string(file), "\x00asm\x01\x00\x00\x00") {
		t.Fatal("no core module")
	}
	for r := (reader{file[8:]}); len(r.b) > 0; {
		id := r.byte()
		body := reader{r.bytes(r.number())}
		switch id {
		case 2:
			for range body.number() {
				imports = append(imports, imported{body.text(), body.text()})
				body.byte() // functions only
				body.number()
			}
		case 7:
			for range body.number() {
				exports = append(exports, body.text())
				body.byte()
				body.number()
			}
		}
	}
	slices.Sort(exports)
	return exports, imports
}

type reader struct{ b []byte }

func (r *reader) byte() byte { return r.bytes(1)[0] }

func (r *reader) bytes(n int) []byte {
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

func (r *reader) number() int {
	v, n := binary.Uvarint(r.b)
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) text() string { return string(r.bytes(r.number())) }
