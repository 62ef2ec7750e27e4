package dev

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
)

// A round begins when two looks are equal and differ from the last round.
func TestSaves(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		t.Helper()
		now = now.Add(time.Second) // file systems may keep no finer times
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
	}
	look := func() toolchain.Files {
		t.Helper()
		f, err := toolchain.Look(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if err := os.Mkdir(filepath.Join(dir, "testdata"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("a.go", "first")
	s := &saves{seen: look(), looks: 1}
	for _, step := range []struct {
		rule         string
		do           func()
		sources, any bool
	}{
		{"nothing was saved", func() {}, false, false},
		{"a file that was emptied may be about to be written", func() { write("a.go", "") }, false, false},
		{"and is", func() { write("a.go", "second") }, false, false},
		{"what stays as it is has been saved", func() {}, true, true},
		{"and is told once", func() {}, false, false},
		{"a fixture", func() { write("testdata/a.txtar", "x") }, false, false},
		{"needs no build", func() {}, false, true},
		{"what was undone", func() { write("b.go", "x") }, false, false},
		{"is no save", func() { _ = os.Remove(filepath.Join(dir, "b.go")) }, false, false},
		{"a source that is gone", func() { _ = os.Remove(filepath.Join(dir, "a.go")) }, false, false},
		{"is one that changed", func() {}, true, true},
	} {
		step.do()
		if sources, any := s.settled(look()); sources != step.sources || any != step.any {
			t.Errorf("%s: sources %v, any %v; want %v, %v", step.rule, sources, any, step.sources, step.any)
		}
	}
}

// A module file is saved once it has been the same for fileLooks looks; until then neither
// a piece of it nor its absence begins a round.
func TestModuleFileIsReadOnceItRests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wasm")
	f := newSource(&Options{Path: path})
	s := &saves{looks: f.looks()}
	var err error
	if s.seen, err = f.look(); err != nil {
		t.Fatal(err)
	}
	settles := func(looks int) bool {
		t.Helper()
		for range looks {
			now, err := f.look()
			if err != nil {
				t.Fatal(err)
			}
			if _, any := s.settled(now); any {
				return true
			}
		}
		return false
	}
	for _, text := range []string{"\x00asm", "\x00asm\x01\x00", "\x00asm\x01\x00\x00\x00"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if settles(fileLooks) {
			t.Fatalf("a round begins while %d bytes are written", len(text))
		}
	}
	if !settles(1) || settles(2*fileLooks) {
		t.Fatal("a file that rests begins one round")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if settles(fileLooks) || !settles(1) || settles(2*fileLooks) {
		t.Fatal("a file that was deleted begins one round, after the same time")
	}
}
