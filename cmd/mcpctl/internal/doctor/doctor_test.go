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
