package doctor

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

func TestReportFits80Columns(t *testing.T) {
	streams, _, out, _ := iostreams.Test()
	e := &exam{Options: &Options{F: &factory.Factory{IO: streams}}}
	e.add(levelError, "server/x", "mcpctl describe server x", "%s", strings.Repeat("the server does not answer ", 20))
	e.add(levelOK, "home", "", "two\nlines\x1b[2J")
	if err := e.printText(out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
		if strings.Contains(line, "\x1b") {
			t.Errorf("a control character of a server reaches the terminal: %q", line)
		}
	}
	if !strings.Contains(out.String(), "\n           mcpctl describe server x\n") {
		t.Errorf("the command has no line of its own:\n%s", out)
	}
}

func TestOnlyOpenErrorsFail(t *testing.T) {
	for _, tc := range []struct {
		name     string
		findings []Finding
		fails    bool
	}{
		{"nothing found", nil, false},
		{"a warning", []Finding{{Level: levelWarning}}, false},
		{"an error that was repaired", []Finding{{Level: levelError, Fixed: true}}, false},
		{"an open error", []Finding{{Level: levelOK}, {Level: levelError}}, true},
	} {
		err := (&exam{Options: &Options{}, findings: tc.findings}).verdict()
		if (err != nil) != tc.fails || tc.fails && !errors.Is(err, abi.ErrConfig) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestProjectOfAnEntry(t *testing.T) {
	for _, tc := range []struct {
		name  string
		entry clientEntry
		want  string
	}{
		{"stdio", clientEntry{Command: "/x/mcpctl", Args: []string{"mcp", "--project", "home"}}, "home"},
		{"stdio on Windows", clientEntry{Command: "mcpctl.exe", Args: []string{"mcp", "--project", "home"}}, "home"},
		{"another command of mcpctl", clientEntry{Command: "mcpctl", Args: []string{"demo-server"}}, ""},
		{"another program", clientEntry{Command: "npx", Args: []string{"mcp", "--project", "home"}}, ""},
		{"no project", clientEntry{Command: "mcpctl", Args: []string{"mcp", "--project"}}, ""},
		{"HTTP", clientEntry{URL: "http://127.0.0.1:3200/projects/home/mcp"}, "home"},
		{"HTTP of another machine", clientEntry{URL: "https://example.com/projects/home/mcp"}, ""},
		{"HTTP of another path", clientEntry{URL: "http://127.0.0.1:3200/mcp"}, ""},
		{"no URL", clientEntry{URL: "http://[::1"}, ""},
	} {
		if got := tc.entry.project(); got != tc.want {
			t.Errorf("%s: project %q, want %q", tc.name, got, tc.want)
		}
	}
}
