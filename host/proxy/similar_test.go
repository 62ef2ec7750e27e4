package proxy

import (
	"strings"
	"testing"
)

func TestSimilarTools(t *testing.T) {
	set := &toolset{names: newNameTable(naming{}, nil)}
	for _, name := range []string{"search", "search_all", "get_flows", "x"} {
		set.names.add(target{"alpha", name})
	}
	for _, tc := range []struct{ rule, asked, want string }{
		{"a letter is missing", "alpha__serch", `"alpha__search"`},
		{"without the server", "get_flows", `"alpha__get_flows"`},
		{"the label", "alpha/search", `"alpha__search" or "alpha__search_all"`},
		{"upper case", "ALPHA__GET_FLOWS", `"alpha__get_flows"`},
		{"nothing like it", "weather", ""},
		{"one letter", "y", ""},
		{"no letter", "", ""},
		{"very long", strings.Repeat("z", 1<<20), ""},
	} {
		got := set.similar(tc.asked)
		if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %s", tc.rule, got, tc.want)
		}
	}
	if got := clipped(strings.Repeat("z", 1<<20)); len(got) > maxClipped+10 {
		t.Errorf("%d bytes of a long name are repeated", len(got))
	}
}
