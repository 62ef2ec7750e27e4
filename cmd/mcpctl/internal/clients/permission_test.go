package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// A rule for a client's own entry is reported together with the equivalent rule for the project,
// unless that rule exists.
func TestStaleRules(t *testing.T) {
	files := api.ProjectDetails{Servers: []string{"files", "my-notes"}}
	bare := api.ProjectDetails{Servers: []string{"files"}, ToolNames: "bare"}
	for _, tc := range []struct {
		name    string
		project api.ProjectDetails
		rules   map[string][]string // by list
		want    []string
	}{
		{"one tool", files, map[string][]string{"deny": {"mcp__files__write"}}, []string{"deny mcp__home__files__write"}},
		{"a whole server", files, map[string][]string{"ask": {"mcp__files"}}, []string{"ask mcp__home__files__*"}},
		{"a pattern of tools", files, map[string][]string{"allow": {"mcp__files__get_*"}}, []string{"allow mcp__home__files__get_*"}},
		{"a pattern of servers", files, map[string][]string{"deny": {"mcp__fil*", "mcp__f*__write"}}, []string{"deny mcp__home__files__*", "deny mcp__home__files__write"}},
		{"pattern that also matches the project's tools", files, map[string][]string{"deny": {"mcp__*", "*__write", "*"}}, nil},
		{"a pattern of servers allows nothing", files, map[string][]string{"allow": {"mcp__fil*"}}, nil},
		{"deny first", files, map[string][]string{"allow": {"mcp__files__read"}, "ask": {"mcp__files__move"}, "deny": {"mcp__files__write"}},
			[]string{"deny mcp__home__files__write", "ask mcp__home__files__move", "allow mcp__home__files__read"}},
		{"entry with a name that import normalizes", files, map[string][]string{"deny": {"mcp__My_Notes__add"}}, []string{"deny mcp__home__my-notes__add"}},
		{"entry with a different name", files, map[string][]string{"deny": {"mcp__disk__write"}}, []string{"deny mcp__home__files__write"}},
		{"bare names", bare, map[string][]string{"deny": {"mcp__files__write", "mcp__files"}}, []string{"deny mcp__home__write", "deny mcp__home__*"}},
		{"name longer than the limit", files, map[string][]string{"deny": {"mcp__files__" + strings.Repeat("x", 60)}}, []string{"deny mcp__home__files__" + strings.Repeat("x", 37) + "_23384e56"}},
		{"other servers and tools", files, map[string][]string{"deny": {"mcp__filesystem__write", "Bash(rm *)", "mcp__files(x)", "mcp__home__files__x", "mcp__filés__x"}}, nil},
		{"existing rule for the tool", files, map[string][]string{"deny": {"mcp__files__write", "mcp__home__files__write"}}, nil},
		{"existing rule for the server", files, map[string][]string{"deny": {"mcp__files__write", "mcp__home__files__*"}}, nil},
		{"existing rule for the project", files, map[string][]string{"deny": {"mcp__files", "mcp__home"}}, nil},
		{"rule for a tool with the server's name", files, map[string][]string{"deny": {"mcp__files", "mcp__home__files"}}, []string{"deny mcp__home__files__*"}},
		{"ask rule does not cover a deny rule", files, map[string][]string{"deny": {"mcp__files__a"}, "ask": {"mcp__home__files__a"}}, []string{"deny mcp__home__files__a"}},
		{"deny rule covers an ask rule", files, map[string][]string{"ask": {"mcp__files__a"}, "deny": {"mcp__home__files__a"}}, nil},
		{"allowedTools is ignored outside .claude.json", files, map[string][]string{"allowedTools": {"mcp__files__a"}}, nil},
	} {
		e := env()
		e.Home, e.Dir = t.TempDir(), t.TempDir()
		writeSettings(t, filepath.Join(e.Dir, ".claude", "settings.json"), map[string]any{"permissions": tc.rules})
		served := NewServed("home", "home", tc.project)
		served.Servers["disk"] = "files"
		stale, skipped := client(t, "claude-code").StaleRules(e, served)
		var got []string
		for _, r := range stale {
			got = append(got, r.List+" "+r.New)
		}
		if !slices.Equal(got, tc.want) || len(skipped) > 0 {
			t.Errorf("%s: got %q, %v, want %q", tc.name, got, skipped, tc.want)
		}
	}
}

// Rules are read from all files of Claude Code that apply to a directory. Invalid files are
// skipped.
func TestRulesOfAllFiles(t *testing.T) {
	e := env()
	e.Home, e.Dir = t.TempDir(), t.TempDir()
	own := filepath.Join(e.Home, "account")
	e.Var = func(name string) string { return map[string]string{"CLAUDE_CONFIG_DIR": own}[name] }
	deny := func(tool string) map[string]any {
		return map[string]any{"permissions": map[string][]string{"deny": {"mcp__files__" + tool}}}
	}
	writeSettings(t, filepath.Join(e.Dir, ".claude", "settings.json"), deny("a"))
	writeSettings(t, filepath.Join(e.Dir, ".claude", "settings.local.json"), deny("b"))
	writeSettings(t, filepath.Join(own, "settings.json"), deny("c"))
	writeSettings(t, filepath.Join(own, "settings.local.json"), map[string]any{"permissions": map[string]any{"deny": "mcp__files__d"}})
	writeSettings(t, filepath.Join(e.Home, ".claude", "settings.json"), deny("of-another-account"))
	writeSettings(t, filepath.Join(own, ".claude.json"), map[string]any{"projects": map[string]any{e.Dir: map[string][]string{"allowedTools": {"mcp__files__e"}}}})
	stale, skipped := client(t, "claude-code").StaleRules(e, NewServed("home", "home", api.ProjectDetails{Servers: []string{"files"}}))
	var got []string
	for _, r := range stale {
		got = append(got, fmt.Sprintf("%s %s", filepath.Base(r.File), r.Text))
	}
	want := []string{"settings.json mcp__files__a", "settings.local.json mcp__files__b", "settings.json mcp__files__c", ".claude.json mcp__files__e"}
	if !slices.Equal(got, want) || len(skipped) != 1 || !strings.Contains(skipped[0].Error(), "deny is not a list of strings") {
		t.Errorf("got %q, %v, want %q and one error", got, skipped, want)
	}
}

func writeSettings(t *testing.T, file string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
