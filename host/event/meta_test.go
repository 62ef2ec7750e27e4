package event

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// The event contains the values that a hook sets with meta_set. They count for its
// size.
func TestMetadataOfHooks(t *testing.T) {
	r := New(Options{})
	id := r.Add(Event{Type: ToolCall, Hooks: []flow.HookReport{{Role: "gate", Hook: abi.OnToolCall, Outcome: "pass", Meta: map[string]string{"matched": "3"}}}})
	e, _ := r.Get(id)
	if b, err := json.Marshal(e); err != nil || !strings.Contains(string(b), `"meta":{"matched":"3"}`) {
		t.Errorf("%s, %v", b, err)
	}
	small, large := Event{Hooks: []flow.HookReport{{}}}, Event{Hooks: []flow.HookReport{{Meta: map[string]string{"k": strings.Repeat("v", 1000)}}}}
	if large.size()-small.size() < 1000 {
		t.Errorf("%d bytes with 1,000 of metadata, %d without", large.size(), small.size())
	}
}
