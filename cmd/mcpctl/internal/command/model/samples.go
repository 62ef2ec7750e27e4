package model

import (
	"context"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/host"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/internal/txtar"
)

// examplesOf returns a function that finds the sample contents of a local stage: the inputs
// of testdata/*.txtar in its plugin directory. Built-in stages and modules that were copied
// by hand have none.
func examplesOf(ctx context.Context, h *host.Host) func(stage string) []lab.Sample {
	files := map[string]string{}
	stages, err := h.Stages(ctx)
	if err != nil {
		return nil
	}
	for _, st := range stages {
		files[st.Name] = st.File
	}
	return func(stage string) []lab.Sample {
		if files[stage] == "" {
			return nil
		}
		r, ok, err := install.Of(filepath.Join(string(h.Home()), "stages"), files[stage])
		if err != nil || !ok {
			return nil
		}
		archives, _ := filepath.Glob(filepath.Join(r.Dir, "testdata", "*.txtar")) // fails for a bad pattern only
		var list []lab.Sample
		for _, name := range archives {
			text, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			if input, ok := inputOf(string(text)); ok {
				list = append(list, lab.Sample{Name: stage + "'s " + filepath.Base(name), Text: input})
			}
		}
		return list
	}
}

// inputOf is the input of an example; an example of a failure has none to try.
func inputOf(archive string) (input string, ok bool) {
	a := txtar.Parse(archive)
	return a.Text("input"), a.Has("input") && !a.Has("fail")
}
