package host

import (
	"strings"
	"testing"
	"time"
)

// The model of a fake client that ignores list_changed can use the tools of a gated project:
// in its first two sessions by the names in the answer of begin_session, later from the list,
// with the prompts before the first result.
func TestGateForClientThatIgnoresListChanged(t *testing.T) {
	skipShort(t)
	f := files{
		"servers/up.yaml":       stdioServer("up", ""),
		"projects/home.yaml":    "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], proxyModel: g}\n",
		"proxymodels/g.yaml":    "kind: ProxyModel\nmetadata: {name: g}\nspec: {controller: gate, stages: []}\n",
		"prompts/home/never.md": "---\npriority: 10\n---\nNEVER reset the coordinator.\n",
	}
	r := newRig(t, f)
	for session := range 2 {
		c := r.dialAs(t, "fake-client-that-ignores-list-changed")
		c.listen(t)
		if got := c.tools(t); got != "begin_session" {
			t.Fatalf("session %d: tools %s", session, got)
		}
		a := c.tool(t, "begin_session", `{"tags":["reset"]}`)
		if !strings.Contains(a.text(), "NEVER reset") || len(a.Content) != 2 || !strings.Contains(a.Content[1].Text, "Call these tools by name") || !strings.Contains(a.Content[1].Text, "\n- up__echo(") {
			t.Errorf("session %d: begin_session answers %s", session, a.raw)
		}
		if a := c.tool(t, "up__echo", `{"text":"hello"}`); a.IsError || a.rpc != "" || strings.Contains(a.text(), "NEVER") {
			t.Errorf("session %d: a tool that is not listed answers %s %s", session, a.rpc, a.text())
		}
	}
	c := r.dialAs(t, "fake-client-that-ignores-list-changed")
	c.listen(t)
	if got := c.tools(t); !strings.Contains(got, "begin_session") || !strings.Contains(got, "up__echo") {
		t.Errorf("tools %s", got)
	}
	began := time.Now()
	if a := c.tool(t, "up__echo", `{"text":"hello"}`); a.IsError || !strings.Contains(a.text(), "NEVER reset") {
		t.Errorf("the first call answers %s", a.text())
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("the first call took %v", took)
	}
	if other := r.dial(t).tools(t); other != "begin_session" {
		t.Errorf("tools of another client: %s", other)
	}
	if got := r.Studio().IgnoringClients(); len(got) != 1 || got[0] != "fake-client-that-ignores-list-changed 1" {
		t.Errorf("ignoring clients: %q", got)
	}
}
