package main

import (
	"bytes"
	"os"
	"testing"
)

func TestFilesAreCurrent(t *testing.T) {
	for name, want := range map[string][]byte{"syntax.json": render(), "zz_syntax.go": renderGo(render())} {
		if text, err := os.ReadFile("../" + name); err != nil || !bytes.Equal(text, want) {
			t.Errorf("%s is out of date (%v), run: go generate ./section-split/gensyntax", name, err)
		}
	}
}
