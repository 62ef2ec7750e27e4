package doctor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clients"
)

// A project with more tools than the client accepts is reported. Most limits are unknown.
func TestToolCount(t *testing.T) {
	for _, tc := range []struct {
		client string
		tools  int
		want   string
	}{
		{"vscode", 128, ""},
		{"vscode", 129, "the servers of project home list 129 tools, and VS Code accepts about 128 of all its servers"},
		{"cursor", 81, "Cursor accepts about 80"},
		{"claude-code", 1000, ""},
		{"codex", 1000, ""},
	} {
		x := clientExam{exam: &exam{}}
		for _, c := range clients.All() {
			if c.Name == tc.client {
				x.checkToolCount(clientEntry{client: c}, "home", api.ProjectDetails{Tools: make([]api.Tool, tc.tools)})
			}
		}
		got := fmt.Sprint(x.findings)
		if (tc.want == "") != (len(x.findings) == 0) || !strings.Contains(got, tc.want) {
			t.Errorf("%s, %d tools: %s, want %q", tc.client, tc.tools, got, tc.want)
		}
	}
}
