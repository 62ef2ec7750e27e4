package api

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

// The system accepts connections for a process that is stopped or stuck. Commands must
// return an error that contains its pid.
func TestDaemonThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := NewClient(socket)
	c.Holder = func() int { return 42 }
	start := time.Now()
	_, err = c.Status(t.Context())
	p := problem.From(err)
	if !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(p.Message, "(pid 42) does not answer") || !strings.HasPrefix(p.Hint, "mcpctl daemon stop") {
		t.Errorf("%v, hint %q", err, p.Hint)
	}
	if d := time.Since(start); d > 10*answerLimit {
		t.Errorf("after %v", d)
	}
}

// A starting daemon listens before it answers and has no pid yet. The client waits for it.
func TestClientWaitsForStartingDaemon(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"running":true}`))
	})}
	defer server.Close()
	c := NewClient(socket)
	c.Holder = func() int {
		go server.Serve(l) // after the first time limit
		return 0
	}
	if st, err := c.Status(t.Context()); err != nil || !st.Running {
		t.Errorf("%+v, %v", st, err)
	}
}
