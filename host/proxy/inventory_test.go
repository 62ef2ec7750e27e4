package proxy

import (
	"strings"
	"testing"
)

func TestInventory(t *testing.T) {
	servers := []Server{{Name: "a"}, {Name: "b"}}
	a := scriptedServer(map[string]string{"tools/list": `{"tools":[{"name":"x/y"},{"name":"x_y"},{"name":"read_section"}]}`})
	r := newRig(t, fakeUpstreams{"a": a, "b": scriptedServer(nil)}, Project{Servers: servers}, Options{})
	r.open(t, "").ask("tools/list", `{}`)
	project := &Project{Name: testProject, Servers: servers}
	rows := r.Inventory("", project).Tools
	want := []string{"a/x/y a__x_y", "a/x_y a__x_y_", "a/read_section a__read_section"}
	if len(rows) != len(want) {
		t.Fatalf("got %v", rows)
	}
	for i, row := range rows {
		if got := row.Label + " " + row.Wire; !strings.HasPrefix(got, want[i]) {
			t.Errorf("row %d is %q, want %q", i, got, want[i])
		}
	}
	if rows[0].Wire == rows[1].Wire {
		t.Error("two tools have one name")
	}
	if rows := r.Inventory("eve", project).Tools; len(rows) != 0 {
		t.Errorf("another subject sees %v", rows)
	}
}
