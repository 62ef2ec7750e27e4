package names

import (
	"strings"
	"testing"
)

func TestSimilar(t *testing.T) {
	table := NewTable(Naming{}, nil)
	for _, name := range []string{"search", "search_all", "get_flows", "x"} {
		table.Add(Target{"alpha", name})
	}
	for _, tc := range []struct{ rule, asked, want string }{
		{"missing letter", "alpha__serch", `"alpha__search"`},
		{"without the server", "get_flows", `"alpha__get_flows"`},
		{"the label", "alpha/search", `"alpha__search" or "alpha__search_all"`},
		{"upper case", "ALPHA__GET_FLOWS", `"alpha__get_flows"`},
		{"no similar name", "weather", ""},
		{"one letter", "y", ""},
		{"empty", "", ""},
		{"very long", strings.Repeat("z", 1<<20), ""},
	} {
		got := table.Similar(tc.asked, func(Target) bool { return true })
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %s", tc.rule, got, tc.want)
		}
	}
	if got := Quote(strings.Repeat("z", 1<<20)); len(got) > maxQuoted+10 {
		t.Errorf("quotes %d bytes of a long name", len(got))
	}
}
