package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A load reads a file again only if its inode, size, mode or time changed, so that the
// cost of a write does not grow with the size of the other files. The test changes a
// file and sets its time back: nothing else shows that it was not read.
func TestLoadReadsChangedFilesOnly(t *testing.T) {
	const file = "prompts/p/x.md"
	past := time.Now().Add(-time.Hour).Add(5 * time.Millisecond)
	write := func(t *testing.T, home, text string, modified time.Time) {
		t.Helper()
		writeHome(t, home, file, text)
		if err := os.Chtimes(filepath.Join(home, file), modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	for rule, c := range map[string]struct {
		change func(t *testing.T, home string)
		first  time.Time // the file's time at the first load
		want   string
	}{
		"same size and time": {func(t *testing.T, home string) { write(t, home, "two\n", past) }, past, "one\n"},
		"another time": {func(t *testing.T, home string) {
			write(t, home, "two\n", past.Add(time.Millisecond))
		}, past, "two\n"},
		"another size": {func(t *testing.T, home string) { write(t, home, "three\n", past) }, past, "three\n"},
		"another mode": {func(t *testing.T, home string) {
			write(t, home, "two\n", past)
			if err := os.Chmod(filepath.Join(home, file), 0o640); err != nil {
				t.Fatal(err)
			}
		}, past, "two\n"},
		"another inode": {func(t *testing.T, home string) {
			if err := os.Rename(filepath.Join(home, file), filepath.Join(home, file+"~")); err != nil {
				t.Fatal(err)
			}
			write(t, home, "two\n", past)
		}, past, "two\n"},
		"modified just before the first load": {func(t *testing.T, home string) {
			info, err := os.Stat(filepath.Join(home, file))
			if err != nil {
				t.Fatal(err)
			}
			write(t, home, "two\n", info.ModTime())
		}, time.Now().Add(time.Minute), "two\n"},
		"a file system that counts seconds": {func(t *testing.T, home string) {
			info, err := os.Stat(filepath.Join(home, file))
			if err != nil {
				t.Fatal(err)
			}
			write(t, home, "two\n", info.ModTime())
		}, time.Now().Truncate(time.Second), "two\n"},
	} {
		t.Run(rule, func(t *testing.T) {
			s, home := openHome(t, nil)
			write(t, home, "one\n", c.first)
			s.Load()
			c.change(t, home)
			snap, problems := s.Load()
			if p, ok := snap.Prompt("p", "x"); !ok || p.Spec.Content != c.want || len(problems) > 0 {
				t.Errorf("prompt %+v, problems %v; want %q", p, problems, c.want)
			}
		})
	}
}

// Apply loads other files that were written just before, so that a caller who writes
// prompts and then applies their project gets both.
func TestApplyLoadsOtherFilesToo(t *testing.T) {
	s, home := openHome(t, map[string]string{"servers/a.yaml": serverYAML("a")})
	s.Load()
	writeHome(t, home, "prompts/p/x.md", "one\n")
	apply(t, s, serverYAML("b"))
	if _, ok := s.Snapshot().Prompt("p", "x"); !ok {
		t.Error("the prompt that was written before apply is not loaded")
	}
}
