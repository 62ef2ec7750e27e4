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
		{"different directory is ignored unless fixed", Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "1"}, Cwd: "/b"}, nil},
		{"different directory is reported if fixed", Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "1"}, Cwd: "/b", Fixed: true}, []string{"cwd"}},
		{"different value and different key", Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "2", "B": "1"}}, []string{"env B", "env KEY"}},
		{"unset reference is compared as text", Server{Command: "x", Args: []string{"a"}, Env: map[string]string{"KEY": "${KEY}"}}, []string{"env KEY"}},
		{"command and arguments", Server{Command: "y", Env: map[string]string{"KEY": "1"}}, []string{"command", "args"}},
		{"an address", Server{URL: "https://h/", Headers: map[string]string{"A": "1"}}, []string{"command", "args", "env KEY", "url", "headers A"}},
	} {
		if got := Differences(base, tc.other); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
