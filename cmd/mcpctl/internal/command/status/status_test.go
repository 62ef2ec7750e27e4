package status

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

func TestStatusText(t *testing.T) {
	long := "exec: \"no-such-program\": executable file not found in $PATH, looked for \x1b[2J it long enough to fill a line"
	st := api.Status{
		Running: true, Home: "home", Version: "1.0", PID: 7, Sessions: 1, Listening: "http://127.0.0.1:3200", Mcpd: "not configured",
		Problems: []string{"bad \x1b[2J thing"},
		Servers:  []api.ServerStatus{{Name: "files", State: "failed", Error: long, Stderr: "one\ntwo\n", ErrorLine: "two \x1b[2J"}, {Name: "git", State: "ready", Restarts: 7, Stderr: "fine\n", LastError: "exit status 17"}},
		LLM:      []api.LLMProvider{{Name: "local", Type: "fake", State: "ready", Requests: 7, Errors: 1}},
		Projects: []api.ProjectStatus{{Name: "home", ProxyModel: "subindex", Servers: []string{"files"}}},
	}
	for _, tc := range []struct {
		name    string
		st      api.Status
		wide    bool
		want    []string
		without []string
	}{
		{"not running", api.Status{Home: "home", Mcpd: "not configured"}, false, []string{"mcplocal  not running\nhome      home\n"}, []string{"SERVER"}},
		{"saved tokens", api.Status{Saved: 1234}, false, []string{"saved     1,234 tokens est. since"}, []string{"more"}},
		{"more tokens than without mcpctl", api.Status{Saved: -1234}, false, []string{"tokens    1,234 more est. than without mcpctl since"}, []string{"saved", "-1"}},
		{"table truncates long cells", st, false, []string{`, pid 7, 1 session` + "\nhome      home\n", `problem   bad \x1b[2J thing`, "…\n", "home     subindex    files", "local         fake  ready  7         1",
			"SERVER  STANDARD ERROR\nfiles   two \\x1b[2J\n", "git     ready   0            7         restarted: exit status 17\n"}, []string{"fill a line", "\x1b", "fine"}},
		{"wide does not truncate", st, true, []string{"enough to fill a line\n", `\x1b[2J`}, []string{"…", "\x1b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			streams, _, out, _ := iostreams.Test()
			if streams.OutWidth = 80; tc.wide {
				streams.OutWidth = 0
			}
			if err := text(streams, tc.st, tc.wide); err != nil {
				t.Fatal(err)
			}
			for _, w := range tc.want {
				if !strings.Contains(out.String(), w) {
					t.Errorf("%q is not in\n%s", w, out)
				}
			}
			for _, w := range tc.without {
				if strings.Contains(out.String(), w) {
					t.Errorf("%q is in\n%s", w, out)
				}
			}
		})
	}
}
