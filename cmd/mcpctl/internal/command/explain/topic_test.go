package explain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/lab"
)

// Reading the section of an example returns its answer.
func TestExamplesAreRead(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	h, err := host.Open(t.Context(), host.Options{Home: homedir.Dir(t.TempDir()), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	shown := map[string]lab.ModelResult{}
	for _, tool := range demo.Tools {
		res, err := h.Lab().RunModel(t.Context(), lab.ModelRun{Model: "ungated-subindex", Type: abi.ToolResult, Hint: tool.File, Input: tool.Content()})
		if err != nil {
			t.Fatal(err)
		}
		shown[tool.Name] = res
	}
	for _, topic := range Topics() {
		for _, c := range topic.Chapters {
			for _, e := range c.Examples {
				a, err := shown[e.Document].Read(e.Section)
				if err != nil || a.IsError || a.Meta.Kind != e.Kind || !matches(string(a.Text), e.Answer) {
					t.Errorf("%s: %q of %s: %s %.200q, %v; want %s %q", topic.Name, e.Section, e.Document, a.Meta.Kind, a.Text, err, e.Kind, e.Answer)
				}
			}
		}
	}
}

// matches reports whether text equals shown, or begins with it if shown ends in "...".
func matches(text, shown string) bool {
	start, cut := strings.CutSuffix(shown, "...")
	return text == shown || cut && strings.HasPrefix(text, start) && len(text) > len(start)
}

func TestAPageFitsATerminal(t *testing.T) {
	for _, topic := range Topics() {
		var b strings.Builder
		if err := topic.print(&iostreams.Streams{Out: &b}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(line)); n > 122 {
				t.Errorf("%s: a line of %d characters: %s", topic.Name, n, line)
			}
		}
	}
}

func TestPagesOfTopicsAreWritten(t *testing.T) {
	for _, topic := range Topics() {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "..", "docs", topic.Name+".md"))
		if err != nil || string(got) != topic.Page() {
			t.Errorf("docs/%s.md differs from the topic (%v): go generate ./cmd/mcpctl/...", topic.Name, err)
		}
	}
}
