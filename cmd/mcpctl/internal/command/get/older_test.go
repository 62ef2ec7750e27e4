package get

import (
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/demo"
)

// A server that becomes ready between the list and the status has tools that the list lacks.
func TestIsOlder(t *testing.T) {
	list := []demo.Listed{{Name: "read_section"}, {Name: "a__get"}}
	for _, tc := range []struct {
		name, server, state string
		want                bool
	}{
		{"listed", "a", "ready", false},
		{"ready since", "b", "ready", true},
		{"failed", "b", "failed", false},
		{"prefix of another name", "a__g", "ready", true},
	} {
		if got := isOlder(list, []api.ServerStatus{{Name: tc.server, State: tc.state}}); got != tc.want {
			t.Errorf("%s: got %v", tc.name, got)
		}
	}
}
