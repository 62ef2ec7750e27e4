//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// together is a project with all three controllers.
const together = `kind: Server
metadata: {name: demo}
spec: {command: [%q, demo-server]}
---
kind: ProxyModel
metadata: {name: all}
spec:
  controller: [%s]
  stages: [{type: section-split}]
---
kind: Project
metadata: {name: home}
spec: {servers: [demo], proxyModel: all, gated: true}
---
kind: Prompt
metadata: {name: guardrails, project: home}
spec: {priority: 10, content: "Pairing mode MUST be closed within sixty seconds."}
`

// TestControllersTogether runs gate, dispatch and explore in one project, with the applicable
// scenarios of the official suite, and with a client on the TypeScript SDK.
func TestControllersTogether(t *testing.T) {
	needNPM(t)
	for _, order := range []string{"{type: dispatch}, {type: explore}, {type: gate}", "{type: gate}, {type: dispatch}, {type: explore}"} {
		t.Run(order, func(t *testing.T) { playTogether(t, order) })
	}
}

func playTogether(t *testing.T, order string) {
	d := startDaemon(t)
	d.mcpctl(fmt.Sprintf(together, bin("mcpctl"), order), "apply", "-f", "-")

	suite := module("@modelcontextprotocol", "conformance", "dist", "index.js")
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection", "server-sse-multiple-streams"} {
		out := t.TempDir()
		text, err := run(t, time.Minute, os.Environ(), out, node(), suite, "server", "--url", d.endpoint("home"), "-o", out, "--scenario", scenario)
		if n, passed, failed := checks(t, out); n != 1 || passed == 0 || len(failed) != 0 {
			t.Errorf("%s: %d checks passed, failed %v (%v)\n%s", scenario, passed, failed, err, text)
		}
	}

	p := play(t, m{"url": d.endpoint("home")}, nil, []step{
		{Method: "tools/list"},
		call("begin_session", m{"tags": []string{"flows"}}),
		{Method: "tools/list"},
		call("proxy-dispatch", m{"action": "search", "query": "flows"}),
		call("proxy-dispatch", m{"action": "call", "connection": "demo", "tool": "get_flows", "arguments": m{}}),
		call("proxy_search", m{"tool": "demo__get_flows", "arguments": m{}, "pattern": "419f5c", "mode": "regex"}),
	})
	// The gate cannot hide tools of controllers after it, and their calls pass the gate.
	last := strings.HasSuffix(order, "{type: gate}")
	if got := toolNames(p.Results[0].Result); last && !slices.Equal(got, []string{"begin_session"}) || !slices.Contains(got, "begin_session") || slices.Contains(got, "read_prompts") || slices.Contains(got, "read_section") || strings.Contains(strings.Join(got, " "), "demo__") {
		t.Errorf("with a closed gate %q are listed", got)
	}
	if got := strings.Join(texts(p.Results[1].Result), "\n"); !strings.Contains(got, mustRule) {
		t.Errorf("begin_session answers %.600q", got)
	}
	open := toolNames(p.Results[2].Result)
	for _, want := range []string{"read_prompts", "proxy-dispatch", "proxy_filter", "proxy_search", "proxy_explore"} {
		if !slices.Contains(open, want) {
			t.Errorf("with an open gate %q are listed, without %s", open, want)
		}
	}
	if slices.Contains(open, "demo__get_flows") {
		t.Errorf("dispatch does not hide the servers' tools: %q", open)
	}
	for i, want := range map[int]string{3: "get_flows", 4: "read_section", 5: "419f5c"} {
		if got := strings.Join(texts(p.Results[i].Result), "\n"); !strings.Contains(got, want) {
			t.Errorf("step %d answers %.900q, want %q in it", i, got, want)
		}
	}
}
