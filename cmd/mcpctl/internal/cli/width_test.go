package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/command/explain"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fields"
)

// narrow runs a command with an output width of 80 columns and checks its lines.
func narrow(t *testing.T, args ...string) {
	t.Helper()
	streams, _, out, _ := iostreams.Test()
	streams.OutWidth = 80
	root := NewRoot(&factory.Factory{IO: streams, Env: func(string) string { return "" }})
	root.SetArgs(args)
	if err := root.Execute(); err != nil || out.Len() == 0 {
		t.Errorf("mcpctl %s: %d bytes, %v", strings.Join(args, " "), out.Len(), err)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("mcpctl %s: a line of %d characters: %s", strings.Join(args, " "), n, line)
		}
	}
}

func TestHelpPagesFit80Columns(t *testing.T) {
	narrow(t)
	walk(tree(), func(c *cobra.Command) {
		narrow(t, append(strings.Fields(c.CommandPath())[1:], "--help")...)
	})
}

func TestExplainPagesFit80Columns(t *testing.T) {
	narrow(t, "explain")
	for _, p := range problem.Pages() {
		narrow(t, "explain", p.Code)
	}
	for _, topic := range explain.Topics() {
		narrow(t, "explain", topic.Name)
	}
	for _, kind := range []string{"server", "project", "proxymodel", "prompt", "promptrequest", fields.Plugin} {
		root, ok := fields.Of(kind)
		if !ok {
			t.Fatalf("no fields of %s", kind)
		}
		explainBelow(t, kind, root, 4)
	}
}

// explainBelow explains a field and all fields below it.
func explainBelow(t *testing.T, path string, f fields.Field, depth int) {
	narrow(t, "explain", path)
	narrow(t, "explain", path, "-o", "wide")
	if depth == 0 {
		return
	}
	for _, c := range f.Children() {
		explainBelow(t, path+"."+c.Name, c, depth-1)
	}
}
