package upstream

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A restart replaces the process, also of a server that cannot start, without the
// wait between attempts.
func TestRestartReplacesTheProcess(t *testing.T) {
	cfg := fakeConfig(t, "")
	cfg.Journal = &Journal{}
	c := startFake(t, cfg, nil)
	callTool(t, c, "echo", "", nil)
	before := c.State().PID
	c.Restart()
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	callTool(t, c, "echo", "", nil)
	if after := c.State(); after.PID == before || after.Restarts != 1 {
		t.Errorf("process %d, before %d, %d restarts", after.PID, before, after.Restarts)
	}
	var text strings.Builder
	for _, l := range cfg.Journal.Since(0) {
		text.WriteString(l.Text + "\n")
	}
	if got := text.String(); strings.Count(got, "mcpctl: connected\n") != 2 || !strings.Contains(got, "mcpctl: restarted on request\n") {
		t.Errorf("journal:\n%s", got)
	}
}

func TestRestartWakesAFailedServer(t *testing.T) {
	journal := &Journal{}
	c, err := Start(t.Context(), Config{Name: "none", Command: []string{"./no-such-program"}, Journal: journal}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	attempts := func() int { return len(journal.Since(0)) }
	for range 9 { // later attempts would wait for 30 seconds
		n := attempts()
		ctx, cancel := context.WithCancel(t.Context())
		_ = c.Ready(ctx) // fails at once
		cancel()
		c.Restart()
		for tick := time.Tick(time.Millisecond); attempts() == n; <-tick { // the test's timeout ends it
		}
	}
	if s := c.State(); s.Status == Ready {
		t.Errorf("state %+v", s)
	}
}
