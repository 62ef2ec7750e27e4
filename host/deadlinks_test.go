package host

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/prompt"
)

// The gate opens although the servers of linked prompts do not answer or fail to
// start. The answer contains the other rules and names the prompts that cannot be
// read.
func TestGateOpensWithDeadLinks(t *testing.T) {
	r := newRig(t, files{
		"servers/hangs.yaml":   "kind: Server\nmetadata: {name: hangs}\nspec: {command: [sleep, \"600\"]}\n",
		"servers/ends.yaml":    "kind: Server\nmetadata: {name: ends}\nspec: {command: [\"false\"]}\n",
		"servers/up.yaml":      stdioServer("up", ""),
		"proxymodels/g.yaml":   "kind: ProxyModel\nmetadata: {name: g}\nspec: {controller: gate, stages: []}\n",
		"projects/home.yaml":   "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], gated: true, proxyModel: g}\n",
		"projects/far.yaml":    "kind: Project\nmetadata: {name: far}\nspec: {servers: [hangs, ends], gated: false}\n",
		"prompts/home/a.md":    "---\nspec: {priority: 10, linkTarget: \"far/hangs:docs://a\"}\n---\n",
		"prompts/home/b.md":    "---\nspec: {priority: 10, linkTarget: \"far/ends:docs://b\"}\n---\n",
		"prompts/home/c.md":    "---\nspec: {linkTarget: \"far/hangs:docs://zigbee\", summary: zigbee}\n---\n",
		"prompts/home/d.md":    "---\nspec: {linkTarget: \"far/hangs:docs://zigbee2\", summary: zigbee}\n---\n",
		"prompts/home/e.md":    "---\nspec: {linkTarget: \"far/hangs:docs://zigbee3\", summary: zigbee}\n---\n",
		"prompts/home/f.md":    "---\nspec: {linkTarget: \"far/hangs:docs://zigbee4\", summary: zigbee}\n---\n",
		"prompts/home/rule.md": "---\nspec: {priority: 10}\n---\nNEVER reset the coordinator.\n",
	})
	c := r.dial(t)
	result, rpc, err := c.try("tools/call", `{"name":"begin_session","arguments":{"tags":["zigbee"]}}`)
	open := string(result) + rpc
	if err != nil || !strings.Contains(open, "NEVER reset the coordinator.") || strings.Contains(open, "isError") {
		t.Fatalf("begin_session returned %s, %v", open, err)
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		isDead := func() bool { return r.listed(t)[name]["linkStatus"] == prompt.Dead } // the gate may open slightly earlier
		if !strings.Contains(open, "- "+name) || !eventually(isDead, true) {
			t.Errorf("%s is not reported as dead in %s", name, open)
		}
	}
	if n := strings.Count(open, "(its link is dead)"); n != 6 {
		t.Errorf("%d dead links in %s", n, open)
	}
	for name, want := range map[object.Name]string{"a": "no answer within 2.5s", "b": `server "ends"`} {
		p, _ := r.Snapshot().Prompt("home", name)
		if err := r.prompts.LinkFault(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: reason %v, want %q", name, err, want)
		}
		if strings.Contains(open, want) {
			t.Errorf("the reason reaches the client: %s", open)
		}
	}
	if tools, _, err := c.try("tools/list", `{}`); err != nil || !strings.Contains(string(tools), `"up__`) {
		t.Errorf("the gate is not open: %s, %v", tools, err)
	}
}

// The reason of a dead link, which is logged and reported, is short and contains no
// credentials of the server.
func TestLinkErrorIsShortAndHasNoSecret(t *testing.T) {
	const secret = "CANARY-0123456789"
	target := "public/docs:file:///" + secret + strings.Repeat("/long", 100) // its error quotes the path
	r := newRig(t, files{
		"servers/docs.yaml":     strings.Replace(stdioServer("docs", ""), "env: {", "env: {KEY: "+secret+", ", 1),
		"projects/home.yaml":    passing,
		"proxymodels/m.yaml":    model("m", "type: passthrough"),
		"projects/public.yaml":  "kind: Project\nmetadata: {name: public}\nspec: {servers: [docs], gated: false, proxyModel: m}\n",
		"prompts/home/pages.md": "---\nspec: {linkTarget: \"" + target + "\"}\n---\n",
	})
	var fault error
	pages, _ := r.Snapshot().Prompt("home", "pages")
	eventuallySee(t, "the link dead", func() bool { fault = r.prompts.LinkFault(pages); return fault != nil })
	if text := fault.Error(); !strings.Contains(text, "/***/long") || strings.Contains(text, "CANARY") || len(text) > 300 {
		t.Errorf("the reason has %d bytes: %s", len(text), text)
	}
}
