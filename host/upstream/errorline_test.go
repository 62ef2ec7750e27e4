package upstream

import (
	"strings"
	"testing"
	"time"
)

// The line of a crash that a user needs is rarely the last one.
func TestFindErrorLine(t *testing.T) {
	node := []string{
		"node:internal/modules/esm/resolve:275", "    throw new ERR_MODULE_NOT_FOUND(", "          ^", "",
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /npx/index.js",
		"    at new NodeError (node:internal/errors:405:5)", "    at packageResolve (node:internal/modules/esm/resolve:275:9) {",
		"  code: 'ERR_MODULE_NOT_FOUND'", "}", "", "Node.js v20.20.2",
	}
	for _, tc := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"nothing written", nil, ""},
		{"blank lines", []string{"", "  "}, ""},
		{"a crash of Node.js", node, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /npx/index.js"},
		{"npm", []string{"npm error code E404", "npm error 404 Not Found - GET https://r/x", "npm error 404 Note that you can also install", "npm error A complete log of this run can be found in: /x"}, "npm error 404 Not Found - GET https://r/x"},
		{"old npm", []string{"npm ERR! sh: 1: x: not found", "npm ERR! A complete log of this run"}, "npm ERR! sh: 1: x: not found"},
		{"Python", []string{"Traceback (most recent call last):", "ModuleNotFoundError: No module named 'x'"}, "ModuleNotFoundError: No module named 'x'"},
		{"the last of two errors", []string{"error: first", "ERROR second", "bye"}, "ERROR second"},
		{"a fatal error", []string{"FATAL: licence key expired", "bye"}, "FATAL: licence key expired"},
		{"a long line is cut, and is text", []string{"error \x1b[2J" + strings.Repeat("x", 300)}, `error \x1b[2J` + strings.Repeat("x", 190) + "..."},
		{"no error: the last line", []string{"one", "two", ""}, "two"},
	} {
		if got := FindErrorLine(tc.lines); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// The error line of a server that ends by itself is in the error of the call and in the
// state, also after a restart. It contains no secrets and no lines of
// earlier processes.
func TestEndOfAServerGivesItsReason(t *testing.T) {
	cfg := fakeConfig(t, "")
	cfg.Env["TOKEN"] = NewSecret("correct-horse-battery")
	c := startFake(t, cfg, nil)
	const want = "exit status 17; its standard error: FATAL: licence key *** expired"
	_, err := c.Call(t.Context(), "tools/call", toolParams("expire", ""), nil)
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("the call failed with %v, want %s", err, want)
	}
	callTool(t, c, "echo", "", nil) // waits for the next process
	if s := c.State(); s.Status != Ready || s.Error != "" || !strings.HasSuffix(s.LastError, want) {
		t.Errorf("state %s, error %q, last error %q", s.Status, s.Error, s.LastError)
	}
	if _, err = c.Call(t.Context(), "tools/call", toolParams("endless", ""), nil); err == nil || strings.Contains(err.Error(), "FATAL") {
		t.Errorf("the next process ended with %v", err)
	}
}

// A restart while a server is in its handshake is not the reason of a failure.
func TestRestartDuringTheHandshakeIsNoFailure(t *testing.T) {
	for range 20 {
		c := startFake(t, fakeConfig(t, ""), nil)
		for tick := time.Tick(time.Millisecond); c.State().PID == 0; <-tick { // the test's timeout ends it
		}
		c.Restart()
		if err := c.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := c.State(); s.LastError != "" {
			t.Errorf("last error %q", s.LastError)
		}
	}
}
