package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A probe of a server that does not answer ends after the server's own timeout, and
// the error contains the next step. Its line of standard error is bounded and
// contains no secret.
func TestProbeTimeout(t *testing.T) {
	const script = `echo "Error: no $KEY $(printf %2000s | tr ' ' x)" >&2; echo Node.js v20.20.2 >&2; while read -r l; do :; done`
	r := newRig(t, files{"servers/slow.yaml": "kind: Server\nmetadata: {name: slow}\nspec:\n  command: [sh, -c, '" + strings.ReplaceAll(script, "'", "''") + "']\n  timeout: 1s\n  env: {KEY: correct-horse-battery}\n"})
	_, err := r.Servers().Probe(t.Context(), "slow", "")
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
	if f, ok := r.Servers().LastFailure("slow"); !ok || !strings.Contains(f.Error, "no answer within 1s") {
		t.Errorf("the failure was not recorded: %+v", f)
	}
}

// A probe has the limits of a session: a list that no session accepts is an error.
func TestProbeRejectsTooLargeList(t *testing.T) {
	for frame, want := range map[int]error{2 << 10: abi.ErrLimit, 1 << 20: nil} { // the list has 600 bytes, and the limit is a quarter of a message
		r := newRig(t, files{"servers/up.yaml": stdioServer("up", "")}, func(o *Options) { o.Settings.FrameBytes = frame })
		if _, err := r.Servers().Probe(t.Context(), "up", ""); !errors.Is(err, want) {
			t.Errorf("messages of at most %d bytes: %v, want %v", frame, err, want)
		}
	}
}
