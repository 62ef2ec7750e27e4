package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// contributing runs the mcpctl lines of the first block of CONTRIBUTING.md, as one
// who reads it would: in a folder that has the examples.
func contributing(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := os.Getwd() // of the package: scripts have a folder of their own
	ts.Check(err)
	root := filepath.Join(dir, "..", "..")
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs("examples"), os.DirFS(filepath.Join(root, "examples"))))
	_, block, _ := strings.Cut(string(text), "```\n")
	block, _, _ = strings.Cut(block, "```")
	ran := 0
	for line := range strings.Lines(block) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "mcpctl" {
			continue
		}
		ts.Check(ts.Exec(words[0], words[1:]...))
		ran++
	}
	if ran < 3 {
		ts.Fatalf("%d commands in CONTRIBUTING.md; is the test blind?", ran)
	}
}
