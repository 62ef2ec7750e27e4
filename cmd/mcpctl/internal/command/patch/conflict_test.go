package patch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/manage"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// savedService is the service of a home in which an editor saves a file after each read of an
// object,
// before the daemon's watcher notices.
type savedService struct {
	*manage.Service
	saves []string
	file  string
}

func (s *savedService) Object(ctx context.Context, kind, project, name string) (api.Object, error) {
	o, err := s.Service.Object(ctx, kind, project, name)
	if len(s.saves) > 0 && err == nil {
		err = os.WriteFile(s.file, []byte(s.saves[0]), 0o600)
		s.saves = s.saves[1:]
	}
	return o, err
}

func TestPatchKeepsConcurrentChanges(t *testing.T) {
	const before = "kind: Project\nmetadata: {name: home}\nspec:\n  servers: []\n  gated: false\n"
	const saved = "# mine\nkind: Project\nmetadata: {name: home}\nspec:\n  servers: []\n  toolNames: bare\n  gated: false\n"
	for _, tc := range []struct {
		name     string
		saves    []string
		want     string
		conflict bool
	}{
		{"file saved once is patched", []string{saved}, "# mine\nkind: Project\nmetadata: {name: home}\nspec:\n  servers: []\n  toolNames: bare\n  gated: true\n", false},
		{"saved comment is kept", []string{"# mine\n" + before}, "# mine\nkind: Project\nmetadata: {name: home}\nspec:\n  servers: []\n  gated: true\n", false},
		{"file saved repeatedly is a conflict", []string{before + "# 1\n", saved}, saved, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			home := t.TempDir()
			s := &savedService{saves: tc.saves, file: filepath.Join(home, "projects/home.yaml")}
			if err := errors.Join(os.Chmod(home, 0o700), os.Mkdir(filepath.Dir(s.file), 0o700), os.WriteFile(s.file, []byte(before), 0o600)); err != nil {
				t.Fatal(err)
			}
			var err error
			if s.Service, err = manage.OpenLocal(t.Context(), home); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			streams, _, _, _ := iostreams.Test()
			f := &factory.Factory{IO: streams, Env: func(name string) string { return map[string]string{"MCPCTL_HOME": home}[name] }}
			changes, err := parse([]string{"gated=true"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = one(t.Context(), &Options{F: f, Kind: "project"}, s, "home", changes)
			if tc.conflict != errors.Is(err, abi.ErrConflict) || !tc.conflict && err != nil {
				t.Fatalf("error %v, conflict is %v", err, tc.conflict)
			}
			if tc.conflict && problem.From(err).Hint != "mcpctl get project home -o yaml" {
				t.Errorf("hint %q", problem.From(err).Hint)
			}
			if b, _ := os.ReadFile(s.file); string(b) != tc.want {
				t.Errorf("got\n%s\nwant\n%s", b, tc.want)
			}
		})
	}
}
