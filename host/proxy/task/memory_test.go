package task

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

func TestTaskMemory(t *testing.T) {
	one, two := flow.Scope{Project: "p", Session: "1"}, flow.Scope{Project: "p", Session: "2"}
	x, y := names.Target{Server: "x", Name: "a"}, names.Target{Server: "y", Name: "b"}
	var m Memory
	for _, tc := range []struct {
		rule  string
		scope flow.Scope
		tool  names.Target
		id    string
		want  string
	}{
		{"the server's own id", one, x, "1", "1"},
		{"again", one, x, "1", "1"},
		{"the same id of another server", one, y, "1", "1@y"},
		{"an id that reads like a changed one", one, y, "1@y", "1@y@y"},
		{"another process of the server, in another session", two, names.Target{Server: "x", Name: "c"}, "1", "1"},
		{"the task of another session is found", two, y, "1", "1@y"},
	} {
		if got := m.RecordCall(tc.scope, tc.tool, tc.id); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.rule, got, tc.want)
		}
		if got, ok := m.Find(tc.scope, tc.want); !ok || got != (Task{tc.tool, tc.id}) {
			t.Errorf("%s: find %+v", tc.rule, got)
		}
	}
	if got, _ := m.Find(one, "1"); got.Tool != x {
		t.Errorf("the task of the first session became %+v", got)
	}
	for i := range maxTasks + 1 {
		m.RecordSeen(one, "y", strings.Repeat("z", i%50)+string(rune('0'+i)))
	}
	if got, ok := m.Find(one, "1"); !ok || got.Tool != x || len(m.seen.order) != maxTasks || len(m.seen.entries) != maxTasks {
		t.Errorf("tasks that a server lists displaced one that was called: %+v, %d remembered", got, len(m.seen.entries))
	}
}
