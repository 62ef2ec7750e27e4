package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What README, CONTRIBUTING and the pages of docs show can be pasted: each mcpctl
// line in a code block is parsed by the real command. Those of the first two are run
// by scripts as well.
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
			t.Errorf("%s shows %d commands; is the test blind?", name, found)
		}
	}
}

// codeLines yields the lines of a document's code blocks that begin with mcpctl.
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
