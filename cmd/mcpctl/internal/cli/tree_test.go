package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func tree() *cobra.Command {
	streams, _, _, _ := iostreams.Test()
	root := NewRoot(&factory.Factory{IO: streams, Env: func(string) string { return "" }})
	root.InitDefaultHelpCmd()
	return root
}

// ours visits every command that is not defined by cobra.
func commands(t *testing.T, visit func(t *testing.T, c *cobra.Command)) {
	root := tree()
	walk(root, func(c *cobra.Command) {
		if path := c.CommandPath(); c == root || strings.HasPrefix(path, "mcpctl completion") || path == "mcpctl help" || path == "mcpctl exit-codes" {
			return
		}
		t.Run(c.CommandPath(), func(t *testing.T) { visit(t, c) })
	})
}

func TestReferenceIsUpToDate(t *testing.T) {
	file := filepath.Join("..", "..", "..", "..", "docs", "cli.md")
	got, err := os.ReadFile(file)
	streams, _, _, _ := iostreams.Test()
	want := Reference(NewRoot(&factory.Factory{IO: streams, Env: func(string) string { return "" }}))
	if err != nil || string(got) != want {
		t.Errorf("docs/cli.md differs from the command tree (%v): go generate ./cmd/mcpctl/...", err)
	}
}

func TestHelpIsComplete(t *testing.T) {
	commands(t, func(t *testing.T, c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") || c.Short[0] < 'A' || c.Short[0] > 'Z' {
			t.Errorf("short help %q, want one line in the imperative without a full stop", c.Short)
		}
		if len(c.Long) < 40 || !strings.HasSuffix(c.Long, ".") {
			t.Errorf("long help %q, want a paragraph", c.Long)
		}
		if n := len(examples(c)); n < 2 {
			t.Errorf("%d examples, want two", n)
		}
		for _, line := range strings.Split(c.Long, "\n") {
			if len([]rune(line)) > 122 {
				t.Errorf("a line of %d characters: %s", len(line), line)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
				t.Errorf("--%s has help %q", f.Name, f.Usage)
			}
		})
	})
}

// Each example is parsed by the real command, including its flags and its argument check.
func TestExamplesParse(t *testing.T) {
	commands(t, func(t *testing.T, c *cobra.Command) {
		for _, line := range examples(c) {
			for _, args := range commandLines(t, line) {
				root := tree()
				found, rest, err := root.Find(args)
				if err == nil && found == root {
					t.Errorf("%s: no such command", line)
				}
				if err == nil {
					err = found.ParseFlags(rest)
				}
				if err == nil {
					err = found.ValidateArgs(found.Flags().Args())
				}
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
	})
}

func examples(c *cobra.Command) []string {
	var list []string
	for line := range strings.SplitSeq(c.Example, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// commandLines extracts the mcpctl commands from a shell line.
func commandLines(t *testing.T, line string) [][]string {
	t.Helper()
	var lists [][]string
	var cur []string
	flush := func() {
		if len(cur) > 0 && cur[0] == "mcpctl" {
			lists = append(lists, cur[1:])
		}
		cur = nil
	}
	for _, w := range words(line) {
		switch w {
		case "|", "&&", "||":
			flush()
		case "<", ">":
			flush()
			cur = []string{"redirected"}
		default:
			if w == "mcpctl" {
				flush()
			}
			cur = append(cur, w)
		}
	}
	flush()
	if len(lists) == 0 {
		t.Errorf("%s: no mcpctl in it", line)
	}
	return lists
}

// words splits a line at blanks outside of single quotes.
func words(line string) []string {
	var list []string
	var cur strings.Builder
	quoted, some := false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, some = !quoted, true
		case r == ' ' && !quoted:
			if some || cur.Len() > 0 {
				list = append(list, cur.String())
			}
			cur.Reset()
			some = false
		default:
			cur.WriteRune(r)
		}
	}
	if some || cur.Len() > 0 {
		list = append(list, cur.String())
	}
	return list
}

// freeText lists flags whose values cannot be completed.
var freeText = []string{"wait", "edit", "config", "source", "hint", "section", "role", "repeat", "set", "dir", "name", "version", "listen", "out", "module", "file", "filename", "script", "summary", "env", "secret-env", "header", "jq", "session", "limit", "sample", "duration", "svg", "key"}

// Every other argument and flag value can be completed.
func TestEverythingCompletes(t *testing.T) {
	commands(t, func(t *testing.T, c *cobra.Command) {
		takesArgs := strings.ContainsAny(strings.TrimPrefix(c.Use, c.Name()), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && !strings.HasPrefix(c.Use, c.Name()+" --") && !strings.HasPrefix(c.Use, c.Name()+" -f")
		if takesArgs && c.ValidArgsFunction == nil && len(c.ValidArgs) == 0 && !slices.Contains([]string{"mcpctl create stage", "mcpctl create proxymodel", "mcpctl import", "mcpctl stage pack", "mcpctl stage inspect"}, c.CommandPath()) {
			t.Errorf("%s completes no argument", c.Use)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := c.GetFlagCompletionFunc(f.Name); !ok && f.Value.Type() != "bool" && !slices.Contains(freeText, f.Name) {
				t.Errorf("--%s completes nothing", f.Name)
			}
		})
	})
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		streams, _, out, _ := iostreams.Test()
		root := NewRoot(&factory.Factory{IO: streams, Env: func(string) string { return "" }})
		root.SetArgs([]string{"completion", shell})
		if err := root.Execute(); err != nil || !strings.Contains(out.String(), "mcpctl") {
			t.Errorf("%s: %d bytes, %v", shell, out.Len(), err)
		}
	}
}
