package host

import (
	"strings"
	"testing"
)

// proxy_explore mentions read_section only if the session lists it.
func TestExploreMentionsOnlyListedTools(t *testing.T) {
	skipShort(t)
	page := "# Pages\\n\\n" + strings.Repeat("## Part\\n\\n"+strings.Repeat("Some words of this part. ", 80)+"\\n\\n", 8)
	for stages, want := range map[string]string{"[]": "sections; proxy_search with cache_id ", "[{type: section-split}]": "sections, to be read by read_section with ref "} {
		r := newRig(t, files{
			"servers/up.yaml": stdioServer("up", ""), "projects/home.yaml": "kind: Project\nmetadata: {name: home}\nspec: {servers: [up], gated: false, proxyModel: e, maxAnswerTokens: 0}\n",
			"proxymodels/e.yaml": "kind: ProxyModel\nmetadata: {name: e}\nspec: {controller: explore, stages: " + stages + "}\n",
		})
		c := r.dial(t)
		tools := c.tools(t)
		a := c.tool(t, "proxy_explore", `{"tool":"up__echo","arguments":{"text":"`+page+`"}}`)
		if !strings.Contains(a.text(), want) {
			t.Errorf("stages %s, tools %s: %q is not in %.600s", stages, tools, want, a.text())
		}
	}
}
