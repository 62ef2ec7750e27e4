package manage

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
)

func local(t *testing.T) *Service {
	t.Helper()
	s, err := OpenLocal(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// covers P-003: a warning stands with the object it is about
func TestWarningsStandWithTheirObject(t *testing.T) {
	s := local(t)
	applied, err := s.Apply(t.Context(), api.ApplyRequest{File: "x.yaml", YAML: `kind: Server
metadata: {name: files}
spec: {command: [x]}
---
kind: Project
metadata: {name: old}
spec: {proxyMode: filtered, servers: [files]}
---
kind: Project
metadata: {name: lost}
spec: {servers: [file]}
`})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"files": "", "old": "filtered is the old name of proxy", "lost": `"file" not found, did you mean "files"?`}
	for _, a := range applied {
		got := strings.Join(a.Warning, "\n")
		if got == "" != (want[a.Name] == "") || !strings.Contains(got, want[a.Name]) || strings.Contains(got, "\n") {
			t.Errorf("%s: warnings %q, want %q", a.Name, got, want[a.Name])
		}
	}
}

func TestProjectTellsWhatIsInForce(t *testing.T) {
	s := local(t)
	_, err := s.Apply(t.Context(), api.ApplyRequest{File: "x.yaml", YAML: `kind: Project
metadata: {name: p}
spec: {proxyModelOverrides: {toolResults: {"*/b": subindex, "*/a": default}}}
`})
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.Object(t.Context(), "project", "", "p")
	want := `{"proxyMode":"proxy","proxyModel":"default","servers":[],"toolNames":"prefixed","gated":false,` +
		`"overrides":[{"for":"toolResults","pattern":"*/b","proxyModel":"subindex"},{"for":"toolResults","pattern":"*/a","proxyModel":"default"}]}`
	if err != nil || string(o.Details) != want {
		t.Errorf("got\n%s, %v\nwant\n%s", o.Details, err, want)
	}
}

func TestWhatNeedsADaemonOrAName(t *testing.T) {
	s := local(t)
	if _, err := s.Events(t.Context(), ""); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("events: %v", err)
	}
	if err := s.Delete(t.Context(), "server", "", "x"); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("delete: %v", err)
	}
	if err := s.Delete(t.Context(), "proxymodel", "", "default"); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("delete of a built-in: %v", err)
	}
	if st, err := s.Status(t.Context()); err != nil || st.Running {
		t.Errorf("status: %+v, %v", st, err)
	}
}
