package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// The line of a crash that a user needs is rarely the last one.
func TestProbeShowsTheErrorLine(t *testing.T) {
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
		{"no error: the last line", []string{"one", "two", ""}, "two"},
	} {
		if got := findErrorLine(tc.lines); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A server that does not answer has its own timeout, and the error says what to do. The
// line of its standard error is bounded and has no secret.
func TestProbeTimeout(t *testing.T) {
	const script = `echo "Error: no $KEY $(printf %2000s | tr ' ' x)" >&2; echo Node.js v20.20.2 >&2; while read -r l; do :; done`
	r := newRig(t, files{"servers/slow.yaml": "kind: Server\nmetadata: {name: slow}\nspec:\n  command: [sh, -c, '" + strings.ReplaceAll(script, "'", "''") + "']\n  timeout: 1s\n  env: {KEY: correct-horse-battery}\n"})
	_, err := r.ProbeServer(t.Context(), "slow")
	if !errors.Is(err, abi.ErrUnavailable) {
		t.Fatal(err)
	}
	for _, want := range []string{"no answer within 1s", "npx or uvx downloads packages", "try again", "its standard error: Error: no "} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if len(err.Error()) > 1000 || strings.Contains(err.Error(), "correct-horse") || strings.Contains(err.Error(), "Node.js v20") {
		t.Errorf("the error is too long, or has a secret or the wrong line: %v", err)
	}
	if f, ok := r.LastFailure("slow"); !ok || !strings.Contains(f.Error, "no answer within 1s") {
		t.Errorf("describe server has nothing to show: %+v", f)
	}
}
