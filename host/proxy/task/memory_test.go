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
		{"id of the server", one, x, "1", "1"},
		{"same task again", one, x, "1", "1"},
		{"equal id of another server", one, y, "1", "1@y"},
		{"id that looks like a replaced one", one, y, "1@y", "1@y@y"},
		{"another session of the server", two, names.Target{Server: "x", Name: "c"}, "1", "1"},
		{"task of another session", two, y, "1", "1@y"},
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
		t.Errorf("tasks that a server listed displaced the task of a call: %+v, %d remembered", got, len(m.seen.entries))
	}
}
