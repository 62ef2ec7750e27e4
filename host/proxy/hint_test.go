package proxy

import (
	"strings"
	"testing"
)

// covers DRILLDOWN 3, hints
func TestHint(t *testing.T) {
	for _, tc := range []struct{ rule, args, want string }{
		{"by name, wherever it stands", `{"q":"a/b","path":"/etc/hosts"}`, "/etc/hosts"},
		{"by form where no name says it", `{"limit":3,"q":"two words","target":"docs/a.md"}`, "docs/a.md"},
		{"a URI", `{"x":"https://h/p?q=1"}`, "https://h/p?q=1"},
		{"a file name", `{"x":"flows.json"}`, "flows.json"},
		{"prose with a slash is none", `{"x":"either / or both"}`, ""},
		{"a version is none", `{"x":"1.2.3"}`, ""},
		{"an empty path is none", `{"path":"","y":1}`, ""},
		{"longer than any path", `{"path":"` + strings.Repeat("a/", 600) + `"}`, ""},
		{"none at all", `{}`, ""},
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
