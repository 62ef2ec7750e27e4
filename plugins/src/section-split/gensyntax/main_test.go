package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAreCurrent(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"syntax.json", "zz_syntax.go"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile("../" + name); err != nil || !bytes.Equal(text, want) {
			t.Errorf("%s is out of date (%v), run: go generate ./section-split/gensyntax", name, err)
		}
	}
}
