package host

import (
	"strings"
	"testing"
)

// The first prompt of a gated project reaches a running session with its next call,
// also if the client shows only structuredContent to the model.
func TestFirstPromptReachesNextCall(t *testing.T) {
	skipShort(t)
	for _, client := range []string{"test", "claude-code"} {
		for tool, arguments := range map[string]string{"up__echo": `{"text":"a"}`, "up__structured": file(t, []byte(`{"a":1}`))} {
			t.Run(client+", "+tool, func(t *testing.T) {
				r := newRig(t, files{"servers/up.yaml": stdioServer("up", ""),
					"projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], gated: true}\n"})
				c := r.dialAs(t, client)
				if _, rpc, err := c.try("tools/list", `{}`); err != nil || rpc != "" {
					t.Fatal(err, rpc)
				}
				if got := c.tool(t, tool, arguments); strings.Contains(string(got.raw), "begin_session") {
					t.Errorf("a project without prompts answers %s", got.raw)
				}
				r.put(t, "prompts/home/never.md", []byte("---\nspec: {priority: 10}\n---\nNEVER reset the coordinator.\n"))
				r.reload(t)
				if got := c.tool(t, tool, arguments); !strings.Contains(got.text(), "NEVER reset") || len(got.Structured) > 0 {
					t.Errorf("the next call is answered %s", got.raw)
				}
			})
		}
	}
}
