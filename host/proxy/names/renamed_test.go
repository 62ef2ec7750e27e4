package names

import (
	"strings"
	"testing"
)

func TestRenamedTools(t *testing.T) {
	long := strings.Repeat("x", 60)
	tools := map[string][]string{"a": {"read", "read", long}, "b": {"read", "c.d", "c_d"}}
	got := RenamedTools("home", false, []string{"a", "b"}, tools)
	want := []struct {
		label string
		long  bool
	}{{"a/" + long, true}, {"b/c_d", false}}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, w := range want {
		if got[i].Label != w.label || got[i].Long != w.long || len(got[i].Wire) > 64-len("mcp__home__") {
			t.Errorf("got %+v, want %+v", got[i], w)
		}
	}
	if got := RenamedTools("home", true, []string{"a"}, map[string][]string{"a": {"read_section", "other"}}); len(got) != 0 {
		t.Errorf("a reserved name with the server's prefix counts as renamed: %+v", got)
	}
	if got := RenamedTools("home", false, nil, nil); len(got) != 0 {
		t.Errorf("without servers: %+v", got)
	}
}
