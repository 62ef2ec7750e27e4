package upstream

import (
	"testing"
	"time"
)

const declaresRoots = `{"roots":{"listChanged":true}}`

// A server that limits its tools to the client's roots must have them before its first
// tool runs, also if the client is slow to answer. The filesystem server created
// directories outside of the roots, and refused files inside, in its first call.
func TestFirstCallWaitsForTheRoots(t *testing.T) {
	for rule, c := range map[string]struct {
		mode, capabilities string
		slow               time.Duration // of the client's answer
		want               string
	}{
		"the server asks":                 {"roots", declaresRoots, 0, "true"},
		"the client is slow":              {"roots", declaresRoots, 200 * time.Millisecond, "true"},
		"the server does not ask":         {"", declaresRoots, 0, "false"},
		"the client declares none":        {"", `{}`, 0, "false"},
		"the client's answer never comes": {"roots", declaresRoots, time.Hour, "false"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			cfg := fakeConfig(t, c.mode)
			cfg.Capabilities = []byte(c.capabilities)
			peer := &recorder{hold: make(chan struct{})}
			time.AfterFunc(c.slow, func() { close(peer.hold) })
			client := startFake(t, cfg, peer)
			if got := callTool(t, client, "rooted", "", nil); got != c.want {
				t.Errorf("the first call found roots: %s, want %s", got, c.want)
			}
		})
	}
}

// Lists do not wait for roots: a client may answer roots/list only after it has the
// tools.
func TestListsDoNotWaitForTheRoots(t *testing.T) {
	cfg := fakeConfig(t, "roots")
	cfg.Capabilities = []byte(declaresRoots)
	peer := &recorder{hold: make(chan struct{})}
	client := startFake(t, cfg, peer)
	if _, err := client.Call(t.Context(), "tools/list", nil, nil); err != nil {
		t.Fatal(err)
	}
	close(peer.hold)
	if got := callTool(t, client, "rooted", "", nil); got != "true" {
		t.Errorf("the first call found roots: %s", got)
	}
}
