package devcmd

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What a look sees, and what of it needs a build.
func TestLook(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	write := func(name string) {
		t.Helper()
		now = now.Add(time.Second) // file systems may keep no finer times
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
	}
	seen, err := look(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name         string
		sources, any bool
	}{
		{"lead.go", true, true},
		{"plugin.yaml", true, true},
		{"src/lib.rs", true, true},
		{"testdata/basic.txtar", false, true},
		{"testdata/basic.txtar", false, true}, // again
		{"README.md", false, false},
		{"lead.wasm", false, false},
		{"target/debug/build.rs", false, false},
		{"node_modules/sdk/index.ts", false, false},
		{".git/index", false, false},
		{".#lead.go.swp", false, false},
	} {
		write(tt.name)
		after, err := look(dir)
		if err != nil {
			t.Fatal(err)
		}
		if sources, any := seen.changed(after); sources != tt.sources || any != tt.any {
			t.Errorf("%s: sources %v, any %v; want %v, %v", tt.name, sources, any, tt.sources, tt.any)
		}
		seen = after
	}
	if err := os.Remove(filepath.Join(dir, "lead.go")); err != nil {
		t.Fatal(err)
	}
	after, _ := look(dir)
	if sources, any := seen.changed(after); !sources || !any {
		t.Error("a source that is gone is not seen")
	}
	if _, err := look(filepath.Join(dir, "nothere")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
