package host

import (
	"testing"

	"github.com/mcpctl/mcpctl/host/hosttest"
)

// A result in memory is computed again after the cache was cleared and after a
// reload. Otherwise an old summary of an LLM would be shown until a restart.
func TestClearAndReloadForgetShownResults(t *testing.T) {
	r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": project("m"),
		"proxymodels/m.yaml": model("m", "type: own"), "stages/own.wasm": string(hosttest.Write("by the stage"))})
	c := r.dial(t)
	call := func(when, want string) {
		t.Helper()
		c.tool(t, "up__embed", `{}`)
		if got := stage(r.lastRun(t), "own").Outcome; got != want {
			t.Errorf("%s: the stage's outcome is %q, want %q", when, got, want)
		}
	}
	call("first", "done")
	call("again", "cached")
	if _, err := r.Storage().ClearCache("home"); err != nil {
		t.Fatal(err)
	}
	call("after clearing the project", "done")
	if _, err := r.Storage().ClearCache(""); err != nil {
		t.Fatal(err)
	}
	call("after clearing everything", "done")
	before := r.Epoch()
	r.reload(t)
	if r.Epoch() == before {
		t.Error("a reload keeps shown results in memory")
	}
}
