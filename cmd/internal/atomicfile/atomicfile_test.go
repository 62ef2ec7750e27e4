package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteReplacesAndLeavesNothingBeside(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	for _, text := range []string{"first, longer", "second"} {
		if err := Write(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != text {
			t.Errorf("holds %q, %v; want %q", got, err, text)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("folder holds %v, %v", all, err)
	}
}

// A reader that has the old file open keeps reading it: the new one is another file.
func TestWriteDoesNotTouchTheOldFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := Write(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	open, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if err := Write(file, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 8)
	if n, err := open.Read(b); err != nil || string(b[:n]) != "old" {
		t.Errorf("reads %q, %v", b[:n], err)
	}
}

func TestWriteFailsWhereItCannot(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "none", "x"), nil, 0o600); !os.IsNotExist(err) {
		t.Errorf("folder that does not exist: %v", err)
	}
	if err := Write(dir, nil, 0o600); err == nil {
		t.Error("a folder was replaced")
	}
}

func TestErrorNamesTheTarget(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{filepath.Join(dir, "none", "x"), dir} {
		err := Write(file, nil, 0o600)
		if err == nil || !strings.HasPrefix(err.Error(), "write "+file+": ") || strings.Contains(err.Error(), ".new-") {
			t.Errorf("error %q, want one that names %s only", err, file)
		}
	}
}

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "file", "second": "link", "dangling": "missing"} {
		if err := os.Symlink(target, path(link)); err != nil {
			t.Skip(err)
		}
	}
	for name, want := range map[string]string{"file": "file", "link": "file", "second": "file", "new": "new"} {
		if got, err := Resolve(path(name)); err != nil || got != path(want) {
			t.Errorf("%s leads to %q, %v; want %s", name, got, err, want)
		}
	}
	if got, err := Resolve(path("dangling")); err == nil {
		t.Errorf("a link without its target leads to %q", got)
	}
}
