package main

import (
	"bytes"
	"os"
	"testing"
)

func TestFileIsCurrent(t *testing.T) {
	text, err := os.ReadFile("../syntax.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, render()) {
		t.Error("syntax.json is out of date, run: go generate ./section-split/gensyntax")
	}
}
