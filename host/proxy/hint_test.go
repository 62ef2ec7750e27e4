package proxy

import (
	"strings"
	"testing"
)

func TestHint(t *testing.T) {
	for _, tc := range []struct{ rule, args, want string }{
		{"name of an argument", `{"q":"a/b","path":"/etc/hosts"}`, "/etc/hosts"},
		{"form of a value", `{"limit":3,"q":"two words","target":"docs/a.md"}`, "docs/a.md"},
		{"URI", `{"x":"https://h/p?q=1"}`, "https://h/p?q=1"},
		{"file name", `{"x":"flows.json"}`, "flows.json"},
		{"prose with a slash", `{"x":"either / or both"}`, ""},
		{"version", `{"x":"1.2.3"}`, ""},
		{"empty path", `{"path":"","y":1}`, ""},
		{"longer than any path", `{"path":"` + strings.Repeat("a/", 600) + `"}`, ""},
		{"no arguments", `{}`, ""},
	} {
		c, err := decodeCall([]byte(`{"name":"t","arguments":` + tc.args + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := hintOf(c.args); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.rule, got, tc.want)
		}
	}
}
