package imports

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// TestHandlesOfPromptRecords verifies that handles of prompt_records count against the
// limits, and that a controller that frees them can create any number.
func TestHandlesOfPromptRecords(t *testing.T) {
	c := newCall(0)
	c.config.Role = &abi.Role{Kind: abi.KindController, Capabilities: []string{module.CapabilitySession}}
	c.hook = &hook{HookCall: &abi.HookCall{Host: &hosttest.Session{PromptList: `[{"name":"tone"}]`}}}
	records := withSession(abi.FuncPromptRecords, sessionFuncs[abi.FuncPromptRecords])
	owned := 0
	for n := range 10_000 {
		want := int32(abi.FirstHandle + n)
		if n >= abi.LimitHandles {
			want = limitCode
		}
		if got := records(c, Args{}); got != want {
			t.Fatalf("call %d: %d, want %d", n, got, want)
		}
		if n == 0 {
			owned = c.buffers.owned
		}
	}
	if c.buffers.owned != abi.LimitHandles*owned {
		t.Errorf("%d bytes for %d handles of %d", c.buffers.owned, abi.LimitHandles, owned)
	}
	for id, b := range c.buffers.handles {
		c.buffers.free(id, b)
	}
	for n := range 10_000 {
		got := records(c, Args{})
		if got < abi.FirstHandle {
			t.Fatalf("call %d with freed handles: %d, %s", n, got, c.refusals.text)
		}
		c.buffers.free(got, c.buffers.handles[got])
	}
	if c.buffers.owned != 0 || len(c.buffers.handles) != 0 {
		t.Errorf("%d handles with %d bytes are left", len(c.buffers.handles), c.buffers.owned)
	}
}

// FuzzControllerJSON verifies that accepted objects and results are valid for
// encoding/json, on one line.
func FuzzControllerJSON(f *testing.F) {
	for _, s := range []string{`{"content":[{"type":"text","text":"x"}]}`, "{\n}", `{"a":1,"a":2}`, `[]`, "{\"a\":\"\xff\"}", `{"content":[{"type":"text","text":"\ud800"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := string(b)
		object, err := strictObject(b)
		if string(b) != before {
			t.Fatal("the input was changed")
		}
		var m map[string]json.RawMessage
		if err == nil && (json.Unmarshal(object, &m) != nil || m == nil || strings.ContainsAny(string(object), "\r\n")) {
			t.Errorf("%q was accepted as an object: %q", b, object)
		}
		var result struct{ Content []map[string]any }
		if why := checkToolResult(b); why == "" && (json.Unmarshal(b, &result) != nil || result.Content == nil) {
			t.Errorf("%q was accepted as a result", b)
		}
	})
}

// TestRecountState verifies that values committed by others while a hook waits count
// against its limits.
func TestRecountState(t *testing.T) {
	session := &hosttest.Session{}
	h := &hook{HookCall: &abi.HookCall{Host: session}}
	h.setState("a", []byte("12345"))
	h.setState("b", []byte("1"))
	h.setState("b", nil)
	if h.state.keys != 1 || h.state.bytes != 6 || len(h.state.written) != 1 {
		t.Errorf("before: %+v", h.state)
	}
	session.Commit(abi.HookOutput{State: map[string][]byte{"a": []byte("1"), "c": nil}})
	h.recountState()
	if keys, bytes := session.StateSize(); keys+h.state.keys != 1 || bytes+h.state.bytes != 6 {
		t.Errorf("after: %+v", h.state)
	}
}
