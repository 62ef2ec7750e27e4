package manage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

func local(t *testing.T) *Service {
	t.Helper()
	home := t.TempDir()
	compiled, err := hosttest.CompiledCode()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(home, 0o700), os.Mkdir(filepath.Join(home, "cache"), 0o700),
		os.Symlink(compiled, filepath.Join(home, "cache", "wasm"))); err != nil {
		t.Fatal(err)
	}
	s, err := OpenLocal(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Apply returns each warning with its object.
func TestWarningsBelongToTheirObject(t *testing.T) {
	s := local(t)
	applied, err := s.Apply(t.Context(), api.ApplyRequest{File: "x.yaml", YAML: `kind: Server
metadata: {name: files}
spec: {command: [sh]}
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

// A file that another program was writing when it was read is read again, so that a command
// right after that is not refused.
func TestInvalidFileIsReadAgain(t *testing.T) {
	s := local(t)
	const project = "kind: Project\nmetadata: {name: p}\n"
	if _, err := s.Apply(t.Context(), api.ApplyRequest{File: "x.yaml", YAML: project + "spec: {}\n"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(string(s.h.Home()), "projects", "p.yaml")
	for _, step := range []struct {
		text    string
		isValid bool
	}{{"", false}, {project + "spec: {gated: false}\n", true}, {"kind:", false}} {
		if err := os.WriteFile(path, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if !step.isValid {
			s.h.Config().Reload()
		}
		o, err := s.Object(t.Context(), "project", "", "p")
		if err != nil || (o.FileError == "") != step.isValid {
			t.Errorf("%q: error of the file %q, %v", step.text, o.FileError, err)
		}
	}
}

func TestProjectDetailsAreEffectiveSettings(t *testing.T) {
	s := local(t)
	_, err := s.Apply(t.Context(), api.ApplyRequest{File: "x.yaml", YAML: `kind: Project
metadata: {name: p}
spec: {gated: false, proxyModelOverrides: {toolResults: {"*/b": subindex, "*/a": default}}}
`})
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.Object(t.Context(), "project", "", "p")
	want := `{"proxyMode":"proxy","proxyModel":"default","servers":[],"toolNames":"prefixed","gated":false,"llm":"none (no provider in config.yaml)",` +
		`"overrides":[{"for":"toolResults","pattern":"*/b","proxyModel":"subindex"},{"for":"toolResults","pattern":"*/a","proxyModel":"default"}],"maxAnswerTokens":10000}`
	if err != nil || string(o.Details) != want {
		t.Errorf("got\n%s, %v\nwant\n%s", o.Details, err, want)
	}
}

func TestLocalServiceErrors(t *testing.T) {
	s := local(t)
	if _, err := s.Events(t.Context(), api.EventQuery{}); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("events: %v", err)
	}
	if err := s.Delete(t.Context(), "server", "", "x", false); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("delete: %v", err)
	}
	if err := s.Delete(t.Context(), "proxymodel", "", "default", false); !errors.Is(err, abi.ErrDenied) {
		t.Errorf("delete of a built-in: %v", err)
	}
	if st, err := s.Status(t.Context()); err != nil || st.Running {
		t.Errorf("status: %+v, %v", st, err)
	}
}

// Apply writes objects with invalid references and returns a warning with the position of
// each error. A dry run returns the same warnings.
func TestApplyWarnsOfInvalidReferences(t *testing.T) {
	const text = `kind: ProxyModel
metadata: {name: y}
spec:
  controller: none
  stages:
    - {type: secton-split}
    - {type: paginate, config: {pageSize: 1, nope: 2}}
---
kind: Project
metadata: {name: p}
spec: {proxyModel: y, proxyModelOverrides: {toolResults: {"a/b": nope, "c/d": nape}}}
`
	want := map[string][]string{
		"y": {`stages[0].type "secton-split" not found, did you mean "section-split"? (y.yaml:6:14)`, "pageSize is 1, want 100", "(y.yaml:7:43)",
			"config.nope is not a setting", "(y.yaml:7:46)"},
		"p": {`proxyModelOverrides.toolResults.a/b "nope" not found`, "(y.yaml:11:66)", `proxyModelOverrides.toolResults.c/d "nape" not found`, "(y.yaml:11:79)",
			`proxyModel "y" is invalid`, "(y.yaml:11:20)"},
	}
	s := local(t)
	for _, dry := range []bool{true, false, false} {
		applied, err := s.Apply(t.Context(), api.ApplyRequest{File: "y.yaml", YAML: text, DryRun: dry})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range applied {
			got := strings.Join(a.Warning, "\n")
			for _, w := range want[a.Name] {
				if !strings.Contains(got, w) {
					t.Errorf("%s, dry %v: %q\nwant %q in it", a.Name, dry, a.Warning, w)
				}
			}
		}
	}
	o, err := s.Object(t.Context(), "proxymodel", "", "y")
	if err != nil || len(o.Problems) != 3 || !strings.Contains(o.Problems[0], "(proxymodels/y.yaml:6:14)") {
		t.Errorf("described: %q, %v", o.Problems, err)
	}
	applied, err := s.Apply(t.Context(), api.ApplyRequest{File: "y.yaml", YAML: strings.SplitAfter(text, "---")[0]})
	if err != nil || !strings.HasSuffix(applied[0].Invalid, "; used by project p") {
		t.Errorf("affected projects: %q, %v", applied, err)
	}
	st, err := s.Status(t.Context())
	if err != nil || len(st.Problems) != 7 || !strings.HasSuffix(st.Problems[0], "(proxymodels/y.yaml:6:14)") {
		t.Errorf("status: %q, %v", st.Problems, err)
	}
}

// Some errors of a config are known only to the stage, which is run on a line of text.
func TestApplyWarnsOfConfigThatAStageRejects(t *testing.T) {
	s := local(t)
	applied, err := s.Apply(t.Context(), api.ApplyRequest{File: "z.yaml", YAML: `kind: ProxyModel
metadata: {name: z}
spec: {controller: none, stages: [{type: summarize-tree, config: {leafIsFullContent: false}}]}
`})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(applied[0].Warning, "\n"); !strings.Contains(got, "want true") || strings.Contains(got, "unchanged") || !strings.Contains(got, "(z.yaml:3:") {
		t.Errorf("warnings: %q", got)
	}
}

func TestServerStatusReportsMissingSecret(t *testing.T) {
	s := local(t)
	if _, err := s.Apply(t.Context(), api.ApplyRequest{File: "x.yaml", YAML: "kind: Server\nmetadata: {name: x}\nspec: {command: [x], env: {A: \"${MCPCTL_TEST_NOT_SET}\"}}\n"}); err != nil {
		t.Fatal(err)
	}
	const want = `server "x": env.A needs MCPCTL_TEST_NOT_SET, not set (servers/x.yaml:3:31); mcpctl config set-secret MCPCTL_TEST_NOT_SET`
	st, err := s.Status(t.Context())
	if err != nil || st.Servers[0].State != "failed" || st.Servers[0].Error != want || !slices.Contains(st.Problems, want) {
		t.Errorf("status: %+v, %v", st, err)
	}
	o, err := s.Object(t.Context(), "server", "", "x")
	if err != nil || o.Problem != want {
		t.Errorf("described: %q, %v", o.Problem, err)
	}
}

// The error explains the effect: content passes a missing stage unchanged, but is withheld
// if a filter is missing.
func TestDeleteOfStageInUseExplainsEffect(t *testing.T) {
	for kind, want := range map[string]string{
		"stage":  "their content would be shown without it",
		"filter": "it is a filter: without it their content would be withheld, unless its entry has onFailure: pass",
	} {
		s := local(t)
		file := new(hosttest.Module).Returns(abi.ReturnPass).Manifest(`{"name":"mine","abi":"1.0","roles":[{"name":"mine","kind":"` + kind + `"}]}`).File()
		if err := os.WriteFile(filepath.Join(stagesDir(s.h), "mine.wasm"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Apply(t.Context(), api.ApplyRequest{File: "x.yaml", YAML: `kind: ProxyModel
metadata: {name: m}
spec: {stages: [{type: mine}]}
`}); err != nil {
			t.Fatal(err)
		}
		err := s.Delete(t.Context(), "stage", "", "mine", false)
		var p *problem.Problem
		if !errors.As(err, &p) || p.Cause != want {
			t.Errorf("%s: %+v, want the cause %q", kind, err, want)
		}
	}
}
