package proxy

import (
	"context"
	"testing"

	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
)

// However lenient a server reads a call, it gets the tool and the arguments on which the
// decision was based. Package cmd/mcpctl/internal/mcp has the same test for stdio.
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
		t.Error("no message reached the server")
	}
	t.Logf("%d messages, %d of them reached the server", len(messages), len(reached))
}
