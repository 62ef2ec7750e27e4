package get

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// looks is a Service that returns a different list on each call.
type looks struct {
	factory.LocalService
	stages [][]api.Stage
	n      int
	end    func()
}

func (l *looks) Stages(context.Context) ([]api.Stage, error) {
	if l.n == len(l.stages) {
		return nil, problem.New(abi.ErrUnavailable, "daemon is gone")
	}
	l.n++
	if l.n == len(l.stages) && l.end != nil {
		l.end()
	}
	return l.stages[l.n-1], nil
}

func (l *looks) Close() error { return nil }

func watchOf(t *testing.T, l *looks) (opts *Options, out func() string) {
	t.Helper()
	s, _, text, _ := iostreams.Test()
	home := t.TempDir()
	f := &factory.Factory{IO: s, Env: func(k string) string { return map[string]string{"MCPCTL_HOME": home}[k] },
		Local: func(context.Context, string) (factory.LocalService, error) { return l, nil }}
	return &Options{F: f, Kind: "stage", Watch: true, Output: "table"}, text.String
}

func row(name, status string) api.Stage {
	return api.Stage{Name: name, Source: "local", Status: status}
}

func TestWatchPollsUntilInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l := &looks{end: cancel, stages: [][]api.Stage{
			{row("a", "compiling"), row("b", "ready")}, {row("a", "ready"), row("b", "ready")}, {row("b", "ready")}, {row("a", "again")}, nil,
		}}
		opts, out := watchOf(t, l)
		opts.Names = []string{"a"}
		start := time.Now()
		if err := watchRun(ctx, opts); err != nil {
			t.Errorf("err = %v, want nil for an interrupted watch", err)
		}
		want := "NAME  SOURCE  STATUS     REQUIRES-LLM\na     local   compiling  -\na     local   ready      -\n" +
			"a     (deleted)\na     local      again      -\n"
		if out() != want {
			t.Errorf("got\n%s\nwant\n%s", out(), want)
		}
		if took := time.Since(start); took != 4*lookEvery {
			t.Errorf("five looks took %s", took)
		}
	})
}

func TestWatchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts, _ := watchOf(t, &looks{stages: [][]api.Stage{{row("a", "ready")}}})
		if err := watchRun(t.Context(), opts); !errors.Is(err, abi.ErrUnavailable) {
			t.Errorf("daemon gone: %v", err)
		}
		opts, _ = watchOf(t, &looks{stages: [][]api.Stage{{row("a", "ready")}}})
		opts.Names = []string{"b"}
		if err := watchRun(t.Context(), opts); !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("a name that never existed: %v", err)
		}
	})
}
