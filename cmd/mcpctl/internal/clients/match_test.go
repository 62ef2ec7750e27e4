package clients

import (
	"slices"
	"testing"
)

func TestDifferencesNameFieldsWithoutValues(t *testing.T) {
	base := Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "1"}, Cwd: "/a"}
	for _, tc := range []struct {
		name  string
		other Server
		want  []string
	}{
		{"another directory that does not count", Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "1"}, Cwd: "/b"}, nil},
		{"another directory that counts", Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "1"}, Cwd: "/b", Fixed: true}, []string{"cwd"}},
		{"another value and another key", Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "2", "B": "1"}}, []string{"env B", "env KEY"}},
		{"a reference is compared as text", Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "${KEY}"}}, []string{"env KEY"}},
		{"command and arguments", Server{Command: "y", Env: map[string]string{"KEY": "1"}}, []string{"command", "args"}},
		{"an address", Server{URL: "https://h/", Headers: map[string]string{"A": "1"}}, []string{"command", "args", "env KEY", "url", "headers A"}},
	} {
		if got := Differences(base, tc.other); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
