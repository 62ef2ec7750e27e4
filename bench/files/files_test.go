package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestRecordsAreJSON verifies that json.Valid reads the complete fixed text.
func TestRecordsAreJSON(t *testing.T) {
	text := records(1000)
	if !json.Valid([]byte(text)) || len(text) < 1000 || len(text) > 1300 {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"small.md": minSize - 1, "a/least.md": minSize, "b/more.go": minSize + 1} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := loadFiles(options{dirs: []string{dir}})
	if err != nil || len(files) != 2 || files[0].name != "a/least.md" || files[1].name != "b/more.go" {
		t.Errorf("%v, %v", files, err)
	}
	if files, err = loadFiles(options{dirs: []string{dir}, match: "more"}); err != nil || len(files) != 1 {
		t.Errorf("with a match: %v, %v", files, err)
	}
	if _, err = loadFiles(options{dirs: []string{dir}, match: "none"}); err == nil {
		t.Error("no error without files")
	}
}

// TestAtReference verifies that times do not depend on the speed of the machine.
func TestAtReference(t *testing.T) {
	for _, slow := range []time.Duration{1, 2, 5} {
		r := row{file: file{text: make([]byte, 1_000_000)}, kind: "xml", guests: [][]time.Duration{{slow * 40 * time.Millisecond, slow * 30 * time.Millisecond}}, native: []time.Duration{slow * referenceTime, slow * 2 * referenceTime}}
		table := table{slowdown: slowdown([]row{r})}
		if got := table.atReference(&r); got < 29.9 || got > 30.1 {
			t.Errorf("%d times slower: %.1f ms/MB, want 30", slow, got)
		}
	}
}
