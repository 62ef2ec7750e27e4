package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteReplacesFileAndLeavesNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	for _, text := range []string{"first, longer", "second"} {
		if err := Write(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != text {
			t.Errorf("file contains %q, %v; want %q", got, err, text)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("directory contains %v, %v", all, err)
	}
}

// A reader that has the old file open reads the old content.
func TestWriteDoesNotModifyOldFile(t *testing.T) {
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

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "none", "x"), nil, 0o600); !os.IsNotExist(err) {
		t.Errorf("missing directory: %v", err)
	}
	if err := Write(dir, nil, 0o600); err == nil {
		t.Error("a directory was replaced")
	}
}

func TestErrorContainsTargetPath(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{filepath.Join(dir, "none", "x"), dir} {
		err := Write(file, nil, 0o600)
		if err == nil || !strings.HasPrefix(err.Error(), "write "+file+": ") || strings.Contains(err.Error(), ".new-") {
			t.Errorf("error %q, want one with the path %s only", err, file)
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
			t.Errorf("Resolve(%s) = %q, %v; want %s", name, got, err, want)
		}
	}
	if got, err := Resolve(path("dangling")); err == nil {
		t.Errorf("Resolve of a dangling link = %q, want an error", got)
	}
}

// A content that is not committed does not appear, and leaves nothing.
func TestCreateWithoutCommit(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	exists := false
	for _, commit := range []bool{false, true, false} {
		f, err := Create(file, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		if commit {
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		f.Close()
		f.Close()
		all, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		exists = exists || commit
		if _, err := os.Stat(file); exists != (err == nil) {
			t.Errorf("commit %v: %v", commit, err)
		}
		for _, e := range all {
			if e.Name() != "x" {
				t.Errorf("%s is left", e.Name())
			}
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "text" {
		t.Errorf("file contains %q, %v", text, err)
	}
}
