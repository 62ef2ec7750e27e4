package proxy

import (
	"context"
	"testing"

	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
)

// covers T7, G10: however a server reads what it gets, it reads what was decided
// on: the tool that has been looked up, with the arguments that were seen. Over
// HTTP; cmd/mcpctl/internal/mcp sends the same over stdio
func TestNothingIsSmuggled(t *testing.T) {
	messages := proxytest.Smuggled()
	if len(messages) < 200 {
		t.Fatalf("%d messages, want 200", len(messages))
	}
	server := oneTool(func(context.Context, fakeCall) string { return emptyResult }, "safe")
	c := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}}, Options{}).open(t, "")
	for _, m := range messages {
		c.body(c.post(m))
	}
	reached := server.got("tools/call")
	for _, params := range reached {
		if proxytest.Slipped(params) {
			t.Errorf("reached the server: %s", params)
		}
	}
	if len(reached) == 0 {
		t.Error("nothing at all reached the server")
	}
	t.Logf("%d messages, %d of them reached the server", len(messages), len(reached))
}
