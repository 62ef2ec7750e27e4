package manage

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/config"
)

// Status warns of settings that weaken a protection, and of changes that a running daemon has
// not applied. Values, which may be secret, are not named.
func TestSettingWarnings(t *testing.T) {
	const inProcess = "isolation is inprocess: local modules run in the daemon, without a confined process of their own"
	const dev = "dev is true: modules are loaded that stages.lock does not list, or that have changed since they were approved"
	for _, test := range []struct {
		file    string
		running bool
		want    []string
	}{
		{"", true, nil},
		{"isolation: inprocess\ndev: true\n", false, []string{inProcess, dev}},
		{"dev: true\n", true, []string{"changed since the daemon was started: dev; to apply: mcpctl daemon stop && mcpctl daemon start"}},
		{"log: {level: debug}\n", true, nil},
		{"limits: {time: 3s}\n", false, nil},
		{"limits: {time: 3s}\notel: {headers: \"a=secret\"}\n", true, []string{"changed since the daemon was started: limits.time, otel.headers; to apply: mcpctl daemon stop && mcpctl daemon start"}},
		{"limits: {time: soon}\n", true, nil},
	} {
		s := local(t)
		if err := os.WriteFile(filepath.Join(string(s.h.Home()), config.File), []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if test.running {
			s.at.PID = 1
		} else {
			var err error
			if s.settings, _, err = config.Load(string(s.h.Home()), os.Getenv); err != nil {
				t.Fatal(err)
			}
		}
		if got := settingWarnings(s); !slices.Equal(got, test.want) {
			t.Errorf("%q, running %v: got %q, want %q", test.file, test.running, got, test.want)
		}
	}
}

func TestClientWarnings(t *testing.T) {
	const effect = " did not read the tools again after two list_changed, so new sessions get all tools at once; if that is wrong: mcpctl config set sessions.rereads yes"
	for _, test := range []struct {
		names []string
		want  []string
	}{
		{nil, nil},
		{[]string{"fake-client 1.0"}, []string{`client "fake-client 1.0"` + effect}},
		{[]string{"a 1", "b 1", "c 1", "d 1", "e 1", "f 1", "g 1"}, []string{`clients "a 1", "b 1", "c 1", "d 1", "e 1", 2 more` + effect}},
	} {
		if got := clientWarnings(test.names); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.names, got, test.want)
		}
	}
}
