package proxy

import (
	"strings"
	"testing"
)

func TestToolNamesShowsWhatClientsCallEachTool(t *testing.T) {
	e := &Endpoint{catalog: newCatalog(nil)}
	a, b := Server{Name: "a"}, Server{Name: "b"}
	e.catalog.put("", a, tools, &listing{items: []item{{name: "x/y"}, {name: "x_y"}, {name: "read_section"}}})
	rows := e.ToolNames("", &Project{Name: "home", Servers: []Server{a, b}})
	want := []string{"a/x/y a__x_y", "a/x_y a__x_y_", "a/read_section a__read_section"}
	if len(rows) != len(want) {
		t.Fatalf("got %v", rows)
	}
	for i, r := range rows {
		if got := r.Label + " " + r.Wire; !strings.HasPrefix(got, want[i]) {
			t.Errorf("row %d is %q, want %q", i, got, want[i])
		}
	}
	if rows[0].Wire == rows[1].Wire {
		t.Error("two tools have one name")
	}
	if rows := e.ToolNames("eve", &Project{Name: "home", Servers: []Server{a}}); len(rows) != 0 {
		t.Errorf("another subject sees %v", rows)
	}
}
