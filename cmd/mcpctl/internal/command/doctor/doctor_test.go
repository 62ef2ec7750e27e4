package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
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

func TestOnlyUnrepairedErrorsFail(t *testing.T) {
	for _, tc := range []struct {
		name     string
		findings []Finding
		fails    bool
	}{
		{"no findings", nil, false},
		{"warning", []Finding{{Level: levelWarning}}, false},
		{"repaired error", []Finding{{Level: levelError, Fixed: true}}, false},
		{"unrepaired error", []Finding{{Level: levelOK}, {Level: levelError}}, true},
	} {
		err := (&exam{Options: &Options{}, findings: tc.findings}).verdict()
		if (err != nil) != tc.fails || tc.fails && !errors.Is(err, abi.ErrConfig) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// slowServers is a Service whose servers start after a delay.
type slowServers struct {
	api.Service
	start map[string]time.Duration
}

func (s slowServers) Objects(_ context.Context, kind, _ string) (list []api.Object, err error) {
	if kind != "server" {
		return nil, nil
	}
	for name := range s.start {
		list = append(list, api.Object{Name: name, Details: json.RawMessage("{}")})
	}
	return list, nil
}

func (s slowServers) ProbeServer(ctx context.Context, name string) (api.ServerProbe, error) {
	select {
	case <-time.After(s.start[name]):
		return api.ServerProbe{Tools: []string{"t"}}, nil
	case <-ctx.Done():
		return api.ServerProbe{}, ctx.Err()
	}
}

// Servers are limited by their own timeouts, because a first start with npx can exceed any fixed
// limit
// of doctor. They start concurrently, and the progress line lists the pending ones.
func TestServersUseTheirOwnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		streams, _, _, errOut := iostreams.Test()
		streams.ErrTerminal = true
		e := &exam{Options: &Options{F: &factory.Factory{IO: streams}, Timeout: 30 * time.Second}}
		s := slowServers{start: map[string]time.Duration{"quick": time.Second, "npx": 55 * time.Second, "other": 50 * time.Second}}
		began := time.Now()
		e.doing.Store("")
		done := streams.ProgressOf(func() string { return e.doing.Load().(string) })
		e.checkServers(t.Context(), s, true)
		done()
		if took := time.Since(began); took != 55*time.Second {
			t.Errorf("the servers took %v, want the time of the slowest", took)
		}
		for _, f := range e.findings {
			if f.Level != levelOK {
				t.Errorf("%+v", f)
			}
		}
		if len(e.findings) != len(s.start) {
			t.Errorf("findings: %+v", e.findings)
		}
		for _, want := range []string{"starting servers, ", "2 of 3 servers done, waiting for npx, "} {
			if !strings.Contains(errOut.String(), want) {
				t.Errorf("the progress lacks %q", want)
			}
		}
	})
}
