package kinds

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func TestArgs(t *testing.T) {
	for _, tc := range []struct {
		name, args string
		kind       string
		objects    string
		fault      string
	}{
		{"plural", "servers", "server", "", ""},
		{"short, names", "pm a b", "proxymodel", "a b", ""},
		{"any case", "ProxyModel x", "proxymodel", "x", ""},
		{"with a slash", "stage/a stages/b", "stage", "a b", ""},
		{"read-only kind", "ev", "event", "", ""},
		{"nothing", "", "", "", "no kind given"},
		{"misspelt", "projetcs", "", "", "did you mean project?"},
		{"two kinds", "stage/a server/b", "", "", "only one kind is allowed"},
		{"slash without a name", "server/", "", "", "the name of a server is empty"},
		{"only one argument with a slash", "stage/a b", "", "", "all arguments must be KIND/NAME"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kind, objects, err := Args(ParseSeen, strings.Fields(tc.args))
			if tc.fault != "" {
				if problem.Exit(err) != problem.ExitUsage || !strings.Contains(err.Error(), tc.fault) {
					t.Errorf("err = %v, want %s", err, tc.fault)
				}
				return
			}
			if err != nil || kind != tc.kind || !slices.Equal(objects, strings.Fields(tc.objects)) {
				t.Errorf("got %s %v, %v", kind, objects, err)
			}
		})
	}
}

func TestReadOnlyKindsCannotBeDeleted(t *testing.T) {
	for _, kind := range []string{"events", "tools"} {
		if _, _, err := Named("delete", []string{kind, "1"}); problem.Exit(err) != problem.ExitUsage {
			t.Errorf("delete %s: %v", kind, err)
		}
	}
	if _, _, err := Named("delete", []string{"servers"}); err == nil || !strings.Contains(err.Error(), "delete requires the name of a server") {
		t.Errorf("err = %v", err)
	}
}

// A command for one kind accepts names with and without the kind.
func TestNamesOfOneKind(t *testing.T) {
	for _, tc := range []struct {
		args  string
		kind  string
		names string
		fails bool
	}{
		{"a", "server", "a", false},
		{"a b", "server", "a b", false},
		{"server a b", "server", "a b", false},
		{"srv a", "server", "a", false},
		{"server/a servers/b", "server", "a b", false},
		{"project a", "project", "a", false}, // the caller rejects other kinds
		{"server", "server", "", true},
		{"server/", "server", "", true},
		{"", "", "", true},
	} {
		kind, names, err := NamesOf("server", "restart", strings.Fields(tc.args))
		if (err != nil) != tc.fails || !tc.fails && (kind != tc.kind || strings.Join(names, " ") != tc.names) {
			t.Errorf("%q: %s %q, %v; want %s %q", tc.args, kind, names, err, tc.kind, tc.names)
		}
	}
}
