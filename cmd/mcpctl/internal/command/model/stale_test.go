package model

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

// files is a Service over project files.
type files struct {
	api.Service
	projects []api.Object
	deleted  []string
}

func (f *files) Objects(context.Context, string, string) ([]api.Object, error) {
	return f.projects, nil
}

func (f *files) Delete(_ context.Context, _, _, name string, _ bool) error {
	f.deleted = append(f.deleted, name)
	return nil
}

func TestOnlyProjectsOfDeadBenchmarksAreRemoved(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	home, s := t.TempDir(), &files{}
	for name, text := range map[string]string{
		"killed":            fmt.Sprintf(madeBy, ended.Process.Pid) + `{"kind":"Project"}`,
		"at-work":           fmt.Sprintf(madeBy, os.Getpid()) + `{"kind":"Project"}`,
		"benchmark-1-0":     "kind: Project\n", // a person may call a project so
		"benchmark-no-pid":  "# made by mcpctl proxymodel benchmark, process x, which\n",
		"benchmark-in-text": "kind: Project\n" + fmt.Sprintf(madeBy, ended.Process.Pid),
	} {
		if err := os.WriteFile(filepath.Join(home, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.projects = append(s.projects, api.Object{Name: name, File: name + ".yaml"})
	}
	if err := clearStale(t.Context(), s, home); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.deleted, []string{"killed"}) {
		t.Errorf("removed %v, want killed alone", s.deleted)
	}
}
