// Package corrected writes an edit of a held answer as a test of the stage that should
// have made it: testdata/NAME.txtar in the directory of its source.
package corrected

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/internal/txtar"
)

// Service is the part of the management API that is needed.
type Service interface {
	Stages(ctx context.Context) ([]api.Stage, error)
	Object(ctx context.Context, kind, project, name string) (api.Object, error)
	Studio() api.Studio
}

// Test is a test that was written.
type Test struct {
	Stage string `json:"stage"`
	Dir   string `json:"dir"`
	File  string `json:"file"`
}

// Write writes a correction as a test of a stage. Without a stage it is the last stage of
// the proxymodel that has a directory of sources. Without a name, the id of the correction
// names the file.
//
// Errors: abi.ErrNotFound for an unknown correction or stage; abi.ErrConflict if the file
// exists.
func Write(ctx context.Context, s Service, id, stage, name string) (Test, error) {
	if strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return Test{}, problem.Usagef("name %q is not a file name", name)
	}
	c, err := s.Studio().Correction(ctx, strings.TrimPrefix(id, "correction/"))
	if err != nil {
		return Test{}, problem.From(err).WithHint("mcpctl get corrections")
	}
	if c.Original == "" {
		p := problem.New(abi.ErrNotFound, "correction %s has no original", c.ID)
		p.Cause = "the answer was written by mcpctl or a controller, or its parts do not match the originals"
		return Test{}, p.WithHint("mcpctl get corrections")
	}
	at, dir, err := chooseStage(ctx, s, c, stage)
	if err != nil {
		return Test{}, err
	}
	used := c.Stages[at]
	if i := slices.IndexFunc(c.Stages[:at], func(st api.UsedStage) bool { return st.Changed }); i >= 0 {
		p := problem.New(abi.ErrConflict, "stage %q changed the content before %q got it", c.Stages[i].Role, used.Role)
		p.Cause = "a test needs the input of its stage, which is not the original here"
		return Test{}, p.WithHint("mcpctl create test %s --stage %s", problem.Arg(c.ID), problem.Arg(c.Stages[i].Role))
	}
	config, err := configOf(ctx, s, c.ActiveModel, used.Role)
	if err != nil {
		return Test{}, err
	}
	file := filepath.Join(dir, "testdata", cmp.Or(name, "correction-"+c.ID)+".txtar")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		return Test{}, problem.New(abi.ErrConflict, "%s exists", file).WithHint("mcpctl create test %s --name NAME", problem.Arg(c.ID))
	}
	return Test{used.Role, dir, file}, write(file, c, config)
}

// chooseStage returns the position of the stage among those of the correction, and the
// directory of its sources.
func chooseStage(ctx context.Context, s Service, c api.Correction, name string) (at int, dir string, err error) {
	stages, err := s.Stages(ctx)
	if err != nil {
		return 0, "", err
	}
	dirs := make(map[string]string)
	for _, st := range stages {
		if st.Plugin != nil && st.Plugin.Path != "" && st.Plugin.Problem == "" {
			dirs[st.Name] = st.Plugin.Path
		}
	}
	var took []string
	for i, st := range slices.Backward(c.Stages) {
		took = append([]string{st.Role}, took...)
		if dir := dirs[st.Role]; dir != "" && (name == "" || st.Role == name) {
			return i, dir, nil
		}
	}
	p := problem.New(abi.ErrNotFound, "no stage of this result has a directory of sources")
	if name != "" {
		p = problem.New(abi.ErrNotFound, "stage %q did not take part in this result, or has no directory of sources", name)
	}
	p.Cause = "its stages were " + cmp.Or(strings.Join(took, ", "), "none") + "; a test belongs to a stage that was built on this machine and took part"
	return 0, "", p.WithHint("mcpctl get stages -o wide")
}

// configOf returns the config that a proxymodel sets for a stage, as JSON; "" if it sets
// none.
func configOf(ctx context.Context, s Service, model, stage string) (string, error) {
	o, err := s.Object(ctx, "proxymodel", "", model)
	if err != nil {
		return "", err
	}
	var m struct {
		Spec struct {
			Stages []struct {
				Type   string
				Config json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(o.Manifest, &m); err != nil {
		return "", err
	}
	for _, st := range m.Spec.Stages {
		if st.Type == stage && len(st.Config) > 0 && string(st.Config) != "null" {
			return string(st.Config), nil
		}
	}
	return "", nil
}

// ref is the ref of an original in the line below an index.
var ref = regexp.MustCompile(`ref="[0-9a-z]{16}"`)

// write writes the archive. A text that a part cannot contain is in a file beside it.
func write(file string, c api.Correction, config string) error {
	context, err := json.Marshal(struct {
		Source      string          `json:"source"`
		ContentType abi.ContentType `json:"contentType"`
		Hint        string          `json:"hint,omitempty"`
	}{c.SourceName, c.ContentType, c.Hint})
	if err != nil {
		return err
	}
	want, expected := "want", c.Edited
	if ref.MatchString(c.Transformed) { // the host has printed an index
		want, expected = "shown", ref.ReplaceAllString(c.Edited, `ref=""`)
	}
	a := txtar.Archive{Comment: fixture.CorrectionMark + c.SourceName + ", " + c.Timestamp.Format("2006-01-02 15:04") + ", edited in Model Studio.\n"}
	if config != "" {
		a.Files = append(a.Files, txtar.File{Name: "config", Text: config + "\n"})
	}
	a.Files = append(a.Files, txtar.File{Name: "context", Text: string(context) + "\n"})
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	for _, part := range []struct{ name, text string }{{"input", c.Original}, {want, expected}} {
		if txtar.IsFileText(part.text) {
			a.Files = append(a.Files, txtar.File{Name: part.name, Text: part.text})
			continue
		}
		beside := strings.TrimSuffix(filepath.Base(file), ".txtar") + "." + part.name
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), beside), []byte(part.text), 0o644); err != nil {
			return err
		}
		a.Files = append(a.Files, txtar.File{Name: part.name + "-file", Text: beside + "\n"})
	}
	return os.WriteFile(file, []byte(a.String()), 0o644)
}
