package proxy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
)

// maskingCleaner replaces one word.
type maskingCleaner struct{}

func (maskingCleaner) Clean(text string) string { return strings.ReplaceAll(text, "CANARY", "***") }

// A failing controller or stage may quote the server's answer. The event contains no
// secret, and shared reports are not modified.
func TestEventContainsNoSecret(t *testing.T) {
	events := &testEvents{}
	s := &Session{core: newCore(Parts{Events: events, Transformer: &proxytest.Pipeline{}}, Options{})}
	stages := []flow.StageReport{{Role: "parse", Outcome: "failed", Error: "no JSON: CANARY"}}
	req := &request{}
	req.Method = "tools/call"
	req.event = Event{Error: "bad token CANARY", Run: []flow.RunReport{{Stages: stages}},
		Hooks: []flow.HookReport{{Role: "gate", Outcome: "failed", Error: "refused: CANARY"}}}
	req.cleanWith(maskingCleaner{})
	s.record(req, flow.Reply{Result: []byte(`{}`)}, nil)
	if got := fmt.Sprintf("%+v", events.last()); strings.Contains(got, "CANARY") || strings.Count(got, "***") != 3 {
		t.Errorf("event is %s", got)
	}
	if stages[0].Error != "no JSON: CANARY" {
		t.Errorf("the shared report was changed to %q", stages[0].Error)
	}
}
