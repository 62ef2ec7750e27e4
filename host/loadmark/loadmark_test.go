package loadmark_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/host/loadmark"
)

func open(t *testing.T, dir string) *loadmark.Marks {
	t.Helper()
	m, err := loadmark.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMarks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "loading")
	first := open(t, dir)
	first.Begin("a")()
	endFirst, endSecond := first.Begin("b"), first.Begin("b")
	endFirst()
	if next := open(t, dir); next.Left("a") || !next.Left("b") {
		t.Errorf("a process that ended in the second load of b: a %v, b %v", next.Left("a"), next.Left("b"))
	}
	endSecond()
	if next := open(t, dir); next.Left("b") {
		t.Error("b is left after both loads have ended")
	}
	if first.Left("b") {
		t.Error("a mark of this process counts as left")
	}
}

func TestForget(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Begin("a")
	open(t, dir).Begin("b")
	m := open(t, dir)
	end := m.Begin("b") // tried again before Forget
	if err := m.Forget(); err != nil {
		t.Fatal(err)
	}
	if m.Left("a") || m.Left("b") {
		t.Error("a mark is left")
	}
	if next := open(t, dir); next.Left("a") || !next.Left("b") {
		t.Errorf("on disk: a %v, b %v, want b, which is being loaded", next.Left("a"), next.Left("b"))
	}
	end()
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}

// A mark that cannot be written stops no load.
func TestBeginWithoutDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	m := open(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	m.Begin("a")()
}
