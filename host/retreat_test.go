package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// A new version that traps three times is replaced by the previous one, which an event and
// the status report, and a reload tries it again. A version that returns FAIL stays in
// use, because its config may be the cause.
func TestNewVersionIsRolledBack(t *testing.T) {
	r := newRig(t, files{"proxymodels/m.yaml": model("m", "type: stamp"), "projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: m}\n"})
	reads := func(n int) string {
		text, _, _ := strings.Cut(string(r.show(t, toolResult([]byte(strings.Repeat("x", n)), "")).Text), "\n")
		return text
	}
	serve := func(file []byte) {
		r.put(t, "stages/stamp.wasm", file)
		r.reload(t)
	}
	serve(hosttest.Write("good"))
	if got := reads(1); got != "good" {
		t.Fatalf("shown %q", got)
	}
	serve(new(hosttest.Module).Returns(2).File())
	for n := range 5 {
		if got := reads(10 + n); got != "" {
			t.Fatalf("a version that returns FAIL was rolled back: shown %q", got)
		}
	}
	serve(hosttest.Write("good"))
	serve(new(hosttest.Module).Trap().File())
	for n := range 3 {
		reads(20 + n)
	}
	if got := reads(30); got != "good" {
		t.Errorf("after three traps: shown %q", got)
	}
	contains(t, "STATUS", r.status(t, "stamp"), "local failed", `new version failed 3 times, the last time in "stamp": guest trapped: unreachable`, "previous version serves", "mcpctl reload")
	rollbacks := 0
	for _, e := range r.Events(0, event.Query{Types: []event.Type{event.StageReloaded}}) {
		if c := e.Change; c.Name == "stages/stamp.wasm" {
			rollbacks++
			contains(t, "the event", c.Reason, "stamp", "guest trapped")
			if c.From == c.To || len(c.From) != 64 || len(c.To) != 64 {
				t.Errorf("from %q to %q", c.From, c.To)
			}
		}
	}
	if rollbacks != 1 {
		t.Errorf("%d events of the rollback", rollbacks)
	}
	r.reload(t)
	if s := r.status(t, "stamp"); s != "local untrusted" {
		t.Errorf("STATUS %q after a reload", s)
	}
}
