package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// A filter that is added later applies to stored content: refs created under other
// filters are unknown, and valid again when these filters are restored.
func TestNewFilterAppliesToStoredContent(t *testing.T) {
	const secret = "password: hunter2"
	stars := filterOf(new(hosttest.Module).Call(abi.FuncOutWrite, "***"))
	r := newRig(t, files{"projects/home.yaml": project("m"), "proxymodels/m.yaml": model("m", "type: section-split"), "stages/redact.wasm": string(stars)})
	read := func(when, ref string, want bool) {
		t.Helper()
		a := r.Read(t.Context(), scope, ref, "!")
		_, err := r.Storage().Original("home", ref)
		if got := strings.Contains(string(a.Text), secret); got != want || (err == nil) != want {
			t.Errorf("%s: readable %v, %v, want %v: %.100s", when, got, err, want, a.Text)
		}
	}
	set := func(stages ...string) {
		t.Helper()
		r.put(t, "proxymodels/m.yaml", []byte(model("m", stages...)))
		r.reload(t)
	}
	text := []byte(strings.Repeat(secret+"\n", 1000))
	before := r.show(t, toolResult(text, "")).Ref
	read("without a filter", before, true)
	set("type: redact", "type: section-split")
	read("with a filter", before, false)
	under := r.show(t, toolResult(text, "")).Ref
	if a := r.Read(t.Context(), scope, under, "!"); string(a.Text) != "***" {
		t.Errorf("stored under the filter: %.100s", a.Text)
	}
	r.put(t, "stages/redact.wasm", filterOf(new(hosttest.Module).Call(abi.FuncOutWrite, "another version")))
	r.reload(t)
	if a := r.Read(t.Context(), scope, under, "!"); !a.IsError {
		t.Errorf("stored under another version: %.100s", a.Text)
	}
	r.stop()
	again := openRig(t, r.dir)
	if a := again.Read(t.Context(), scope, before, "!"); !a.IsError {
		t.Errorf("after a restart: %.100s", a.Text)
	}
	r = again
	set("type: section-split")
	read("the filter is gone again", before, true)
}
