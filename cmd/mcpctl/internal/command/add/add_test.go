package add

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// service is a Service whose Apply fails for one kind, except in a dry run.
type service struct {
	api.Service
	fails   string // server or project
	deleted []string
}

func (s *service) Object(context.Context, string, string, string) (api.Object, error) {
	return api.Object{}, abi.ErrNotFound
}

func (s *service) Objects(context.Context, string, string) ([]api.Object, error) { return nil, nil }

func (s *service) Apply(_ context.Context, r api.ApplyRequest) ([]api.Applied, error) {
	kind, name, _ := strings.Cut(r.File, "/")
	if kind == s.fails && !r.DryRun {
		return nil, problem.New(abi.ErrConflict, "%s %q cannot be written", kind, name)
	}
	return []api.Applied{{Kind: kind, Name: name, Action: "created"}}, nil
}

func (s *service) Delete(_ context.Context, kind, _, name string, _ bool) error {
	s.deleted = append(s.deleted, kind+"/"+name)
	return nil
}

func (s *service) Close() error { return nil }

// The credentials of a server that cannot be written are removed from secrets.yaml.
func TestFailedAddLeavesNoSecrets(t *testing.T) {
	for _, tc := range []struct {
		fails   string
		deleted []string
		kept    bool
	}{
		{"server", nil, false},
		{"project", []string{"server/x"}, false},
		{"nothing", nil, true},
	} {
		t.Run(tc.fails, func(t *testing.T) {
			home := t.TempDir()
			file := filepath.Join(home, "secrets.yaml")
			if err := os.WriteFile(file, []byte("MINE: stays\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			streams, _, _, _ := iostreams.Test()
			s := &service{fails: tc.fails}
			f := &factory.Factory{IO: streams,
				Env:   func(name string) string { return map[string]string{"MCPCTL_HOME": home}[name] },
				Local: func(context.Context, string) (factory.LocalService, error) { return s, nil }}
			cmd := NewCmdAdd(f, nil)
			cmd.SetArgs([]string{"x", "--secret-env", "TOKEN=gold", "--", "server"})
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			if err := cmd.ExecuteContext(t.Context()); (err == nil) != tc.kept {
				t.Errorf("err = %v", err)
			}
			secrets, err := os.ReadFile(file)
			if err != nil || !strings.HasPrefix(string(secrets), "MINE: stays\n") || strings.Contains(string(secrets), "gold") != tc.kept {
				t.Errorf("secrets.yaml is %q, %v", secrets, err)
			}
			if !slices.Equal(s.deleted, tc.deleted) {
				t.Errorf("deleted %q, want %q", s.deleted, tc.deleted)
			}
		})
	}
}

func TestURLsOfOtherSchemesAreRefused(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"x", "ftp://h/mcp"}, `begins with "ftp://"`},
		{[]string{"x", "--", "ws://u:gold@h/mcp"}, `begins with "ws://"`},
		{[]string{"x", "https://h/mcp", "more"}, "is followed by other arguments"},
	} {
		cmd := NewCmdAdd(&factory.Factory{}, nil)
		cmd.SetArgs(tc.args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		p := problem.From(cmd.ExecuteContext(t.Context()))
		if !strings.Contains(p.Message, tc.want) || p.Hint != "mcpctl add x https://example.com/mcp" || strings.Contains(p.Error(), "gold") {
			t.Errorf("%q: %v, hint %q", tc.args, p, p.Hint)
		}
	}
}
