package glob

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true}, {"*", "a/b", true}, {"**", "x", true}, {"", "", true}, {"", "a", false},
		{"*/get_flows", "node-red/get_flows", true}, {"*/get_flows", "get_flows", false}, {"*/get_flows", "a/b/get_flows", true},
		{"a*", "a", true}, {"a*", "ba", false}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"a?", "a", false},
		{"*a*b", "xaxxbxb", true}, {"*a*b", "xaxxbxc", false}, {"a*b*c", "abbbc", true}, {"[a]", "[a]", true}, {"[a]", "a", false},
		{"é*", "éa", true}, {"*\\", "a\\", true},
		{strings.Repeat("a*", 50) + "b", strings.Repeat("a", 5000), false},
	} {
		if got := Match(c.pattern, c.s); got != c.want {
			t.Errorf("Match(%.20q, %.20q) = %v", c.pattern, c.s, got)
		}
	}
}

// FuzzMatch compares Match with a simple recursive implementation.
func FuzzMatch(f *testing.F) {
	f.Add("*a?b*", "xxaybzz")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 8 || len(s) > 12 {
			return
		}
		if got, want := Match(pattern, s), slowMatch(pattern, s); got != want {
			t.Errorf("Match(%q, %q) = %v, want %v", pattern, s, got, want)
		}
	})
}

func slowMatch(pattern, s string) bool {
	switch {
	case pattern == "":
		return s == ""
	case pattern[0] == '*':
		return slowMatch(pattern[1:], s) || s != "" && slowMatch(pattern, s[1:])
	}
	return s != "" && (pattern[0] == '?' || pattern[0] == s[0]) && slowMatch(pattern[1:], s[1:])
}
