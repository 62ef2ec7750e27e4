package toolchain

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Look lists the files, and Stale reports the changes that need a build.
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
	seen, err := Look(dir)
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
		{"testdata/cases/more.txtar", false, true},
		{"testdata/lead.go", false, true},
		{"src/testdata/x.rs", false, false},
		{"README.md", false, false},
		{"lead.wasm", false, false},
		{"target/debug/build.rs", false, false},
		{"node_modules/sdk/index.ts", false, false},
		{".git/index", false, false},
		{".#lead.go.swp", false, false},
	} {
		write(tt.name)
		after, err := Look(dir)
		if err != nil {
			t.Fatal(err)
		}
		if sources, any := seen.Changed(after); sources != tt.sources || any != tt.any {
			t.Errorf("%s: sources %v, any %v; want %v, %v", tt.name, sources, any, tt.sources, tt.any)
		}
		seen = after
	}
	if err := os.Remove(filepath.Join(dir, "lead.go")); err != nil {
		t.Fatal(err)
	}
	after, _ := Look(dir)
	if sources, any := seen.Changed(after); !sources || !any {
		t.Error("a source that is gone is not seen")
	}
	if _, err := Look(filepath.Join(dir, "nothere")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

// A lock file that cargo wrote causes no build; a later change by another program does.
func TestOutputOfBuildIsNoChange(t *testing.T) {
	dir := t.TempDir()
	at := time.Now().Add(-time.Hour)
	write := func(name string) {
		t.Helper()
		at = at.Add(time.Second)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	look := func() Files {
		t.Helper()
		f, err := Look(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	write("lead.rs")
	seen := look()
	write(lockFile)
	seen.Built(look())
	if _, any := seen.Changed(look()); any {
		t.Error("the lock of the build itself is a change")
	}
	write(lockFile)
	if sources, _ := seen.Changed(look()); !sources {
		t.Error("a lock that was written later is no change")
	}
	seen = look()
	write("lead.rs")
	seen.Built(look())
	if sources, _ := seen.Changed(look()); !sources {
		t.Error("a source that was saved while it was built is no change")
	}
}
