package choice

import (
	"fmt"
	"testing"
)

func TestDecide(t *testing.T) {
	for _, tc := range []struct {
		rule        string
		allow, deny []string
		label       string
		reason      string // "" if it is offered
	}{
		{"no patterns", nil, nil, "a/x", ""},
		{"an allow pattern matches", []string{"b/*", "a/x"}, nil, "a/x", ""},
		{"no allow pattern matches", []string{"b/*", "a/y"}, nil, "a/x", "no pattern of spec.tools.allow matches it"},
		{"a deny pattern matches", nil, []string{"b/*", "*/x"}, "a/x", `spec.tools.deny has "*/x"`},
		{"deny has precedence", []string{"a/x"}, []string{"a/?"}, "a/x", `spec.tools.deny has "a/?"`},
		{"no deny pattern matches", nil, []string{"a/xx"}, "a/x", ""},
		{"a tool with a slash", []string{"a/*"}, nil, "a/x/y", ""},
		{"case counts", nil, []string{"A/*"}, "a/x", ""},
	} {
		d := Tools{tc.allow, tc.deny}.Decide(tc.label)
		if d.Reason() != tc.reason || d.Offered != (tc.reason == "") {
			t.Errorf("%s: %+v, want the reason %q", tc.rule, d, tc.reason)
		}
	}
}

func TestUnmatched(t *testing.T) {
	tools := Tools{Allow: []string{"a/*", "c/*"}, Deny: []string{"*/gone", "a/x"}}
	got := fmt.Sprint(tools.Unmatched([]string{"a/x", "b/y"}))
	if want := "[{spec.tools.allow c/*} {spec.tools.deny */gone}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
