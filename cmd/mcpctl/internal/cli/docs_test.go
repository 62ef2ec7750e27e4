package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The mcpctl lines in code blocks of README, CONTRIBUTING and docs are parsed by the real command.
// Scripts also run those of README and CONTRIBUTING.
func TestCommandsInTheDocsParse(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	least := map[string]int{"README.md": 8, "CONTRIBUTING.md": 3, "cli.md": 60}
	for _, file := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		name := filepath.Base(file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for line := range codeLines(string(text)) {
			line, _, _ = strings.Cut(line, "  #")
			line, _, _ = strings.Cut(line, " # ")
			for _, args := range commandLines(t, line) {
				found++
				root := tree()
				c, rest, err := root.Find(args)
				if err == nil && c == root {
					t.Errorf("%s: %s: no such command", name, line)
					continue
				}
				if err == nil {
					err = c.ParseFlags(rest)
				}
				if err == nil {
					err = c.ValidateArgs(c.Flags().Args())
				}
				if err != nil {
					t.Errorf("%s: %s: %v", name, line, err)
				}
			}
		}
		if found < least[name] {
			t.Errorf("%s contains only %d commands, the test may not find them", name, found)
		}
	}
}

// codeLines yields the lines in the code blocks of a document that begin with mcpctl.
func codeLines(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		code := false
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code
				continue
			}
			if code && strings.HasPrefix(line, "mcpctl ") && !yield(line) {
				return
			}
		}
	}
}
