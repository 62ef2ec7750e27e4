package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// fake adds a program named mcplocal to PATH and returns a factory with a new home.
func fake(t *testing.T, script string) *factory.Factory {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "mcplocal"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	streams, _, _, _ := iostreams.Test()
	return &factory.Factory{IO: streams, Env: func(key string) string {
		if key == "MCPCTL_HOME" {
			return home
		}
		return ""
	}}
}

func TestDaemonThatFailsToStart(t *testing.T) {
	for _, tc := range []struct {
		name, script, message, cause, hint string
		kind                               error
	}{
		{"error with hint", "echo 'level=INFO msg=x\nerror: bad\nhint: mcpctl config view' >&2; exit 7", "the daemon did not start", "bad", "mcpctl config view", abi.ErrConfig},
		{"no output", "exit 1", "the daemon did not start", "mcplocal exited immediately without an error message: exit status 1", "mcplocal serve", abi.ErrUnavailable},
		{"conflict without output", "exit 5", "the daemon did not start", "mcplocal exited immediately without an error message: exit status 5", "mcplocal serve", abi.ErrConflict},
		{"log cannot be written", "echo 'error: no space left on device\nhint: df -h .'; exit 1", "the daemon did not start", "no space left on device", "df -h .", abi.ErrUnavailable},
		{"not ready in time", "echo 'error: waiting' >&2; exec sleep 60", "the daemon was not ready within 15s", "waiting", "mcpctl daemon logs", abi.ErrUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := fake(t, tc.script)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err := Start(ctx, f)
			p := problem.From(err)
			if !errors.Is(err, tc.kind) || p.Message != tc.message || p.Cause != tc.cause || p.Hint != tc.hint {
				t.Errorf("%+v", p)
			}
		})
	}
}

// If the daemon that locks the home ends while a client starts another one, the client retries. A
// killed daemon releases its lock last.
func TestStartWhileTheOtherDaemonEnds(t *testing.T) {
	const script = `test -e "$MCPCTL_HOME/first" && { echo started >> "$MCPCTL_HOME/again"; exit 1; }
touch "$MCPCTL_HOME/first"; echo 'error: home is in use by another daemon (pid 1)
hint: mcpctl status' >&2; exit 5`
	f := fake(t, script)
	home, err := f.Home()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MCPCTL_HOME", home)
	if err := Ensure(t.Context(), f); errors.Is(err, abi.ErrConflict) {
		t.Errorf("no other start: %v", err)
	}
	if _, err := os.Stat(filepath.Join(home, "again")); err != nil {
		t.Error(err)
	}
}

func TestStartIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, fake(t, "exec sleep 60")); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "within") {
		t.Errorf("got %v, want context.Canceled without a time limit", err)
	}
}

// Control characters in messages of servers and stages are escaped on a terminal.
func TestLogOnATerminal(t *testing.T) {
	const log = "one\x1b[2J\ntwo, without an end"
	for terminal, want := range map[bool]string{true: `one\x1b[2J` + "\ntwo, without an end", false: log} {
		streams, _, out, _ := iostreams.Test()
		streams.OutTerminal = terminal
		if err := printLog(streams, strings.NewReader(log)); err != nil || out.String() != want {
			t.Errorf("terminal %v: %q, %v", terminal, out, err)
		}
	}
}
