package toolname

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

func tools() []Tool {
	return []Tool{
		{"begin_session", "begin_session", controller.VirtualTool},
		{"files/read_file", "files__read_file", controller.UpstreamTool},
		{"files/search", "files__search", controller.UpstreamTool},
		{"node-red/get_flows", "node-red__get_flows", controller.UpstreamTool},
		{"node-red/search", "node-red__search", controller.UpstreamTool},
		{"odd/a/b", "odd__a_b_1234abcd", controller.UpstreamTool},
		{"read_section", "read_section", controller.HostTool},
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ rule, name, connection, want, problem string }{
		{"by label", "files/search", "", "files/search", ""},
		{"by wire name", "node-red__search", "", "node-red/search", ""},
		{"by the only tool of its name", "get_flows", "", "node-red/get_flows", ""},
		{"a name with a slash", "a/b", "", "odd/a/b", ""},
		{"by name and connection", "search", "files", "files/search", ""},
		{"an ambiguous name", "search", "", "", `"search" is a tool of several connections: files, node-red; name one`},
		{"a typo", "get_flow", "", "", "did you mean node-red/get_flows?"},
		{"a typo in the label", "file/read_file", "", "", "did you mean files/read_file?"},
		{"in another connection", "get_flows", "files", "", `tool "get_flows" unknown in connection files`},
		{"an unknown name", "weather", "", "", `tool "weather" unknown`},
		{"an unknown connection", "search", "fils", "", `connection "fils" unknown, there are files, node-red, odd`},
		{"a virtual tool", "begin_session", "", "", "begin_session is a tool of its own: call it directly"},
		{"a tool of the host", "read_section", "", "", "call it directly"},
	} {
		got, problem := Find(tools(), c.name, c.connection)
		if got.Label != c.want || !strings.Contains(problem, c.problem) || (problem == "") != (c.want != "") {
			t.Errorf("%s: %q, %q; want %q, %q", c.rule, got.Label, problem, c.want, c.problem)
		}
	}
}

func TestProblemsAreShort(t *testing.T) {
	if _, problem := Find(tools(), strings.Repeat("x", 1<<20), ""); len(problem) > 200 {
		t.Errorf("%d bytes", len(problem))
	}
}
