package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Check is one result of ValidateModel.
type Check struct {
	What string
	Err  error // nil if it is valid
}

// ModelCheck selects the proxymodels to check: the one with this Name, or those of a YAML
// text.
type ModelCheck struct {
	Name string
	File string // of YAML, for positions
	YAML []byte

	// Samples returns the sample contents of a stage's author. It may be nil.
	Samples func(stage string) []Sample
}

// Sample is a content to run a proxymodel on.
type Sample struct{ Name, Text string }

// ValidateModel checks proxymodels: every stage exists, fits the ABI and is granted its
// capabilities, its config is valid, and it runs on sample contents.
//
// Errors: abi.ErrNotFound for an unknown name. Invalid objects are reported as Checks.
func (l *Lab) ValidateModel(ctx context.Context, sel ModelCheck) ([]Check, error) {
	if err := l.Ready(ctx); err != nil {
		return nil, err
	}
	list, checks, err := l.selectModels(sel.Name, sel.File, sel.YAML)
	if err != nil {
		return nil, err
	}
	roles := l.Roles()
	for _, m := range list {
		model, err := proxymodel.Compile(m, roles)
		if err != nil {
			for _, e := range splitErrors(err) {
				checks = append(checks, Check{Err: e})
			}
			continue
		}
		found := "stages"
		if len(model.Steps) == 1 {
			found = "stage"
		}
		valid := "config valid"
		if slices.ContainsFunc(model.Steps, func(s proxymodel.Step) bool { return isUnchecked(roles, s) }) {
			valid = "config valid where settings are declared"
		}
		checks = append(checks, Check{What: fmt.Sprintf("proxymodel %q: %d %s found, %s", m.Name(), len(model.Steps), found, valid)})
		samples := defaultSamples
		for _, step := range model.Steps {
			checks = append(checks, l.checkRole(ctx, step.Type))
			if isUnchecked(roles, step) {
				checks = append(checks, Check{What: fmt.Sprintf("stage %q: declares no settings, so its config is passed on unchecked", step.Type)})
			}
			if sel.Samples != nil {
				samples = append(samples[:len(samples):len(samples)], sel.Samples(step.Type)...)
			}
		}
		checks = append(checks, l.dryRun(ctx, model, samples)...)
	}
	return checks, nil
}

// isUnchecked reports whether a step has config and its role declares none.
func isUnchecked(roles proxymodel.Roles, step proxymodel.Step) bool {
	role, ok := roles.Role(step.Type)
	return ok && role.Config == nil && string(step.Config) != "{}"
}

// checkRole reports the ABI that a stage was built for and its granted capabilities,
// which are those of its manifest.
func (l *Lab) checkRole(ctx context.Context, stage string) Check {
	role, info, err := l.Role(ctx, stage)
	if err != nil {
		return Check{Err: err}
	}
	granted := "log alone"
	if len(role.Capabilities) > 0 {
		granted = strings.Join(role.Capabilities, ", ") + ", log"
	}
	builtFor := fmt.Sprintf("ABI %s of %s", info.Manifest.ABI, abi.Version)
	if !info.Native() {
		builtFor = fmt.Sprintf("format %s", info.Format)
	}
	return Check{What: fmt.Sprintf("stage %q: %s, granted %s", stage, builtFor, granted)}
}

// selectModels returns the selected proxymodels, and Checks for invalid objects in the
// YAML text.
func (l *Lab) selectModels(name, file string, yaml []byte) ([]*object.ProxyModel, []Check, error) {
	if yaml == nil {
		m, ok := l.Snapshot().ProxyModel(object.Name(name))
		if !ok {
			_, err := l.Plan().Model(name)
			return nil, nil, err
		}
		return []*object.ProxyModel{m}, nil, nil
	}
	objects, _, err := object.Decode(file, yaml)
	var checks []Check
	for _, e := range splitErrors(err) {
		checks = append(checks, Check{Err: e})
	}
	var list []*object.ProxyModel
	for _, o := range objects {
		if m, ok := o.(*object.ProxyModel); ok {
			list = append(list, m)
		}
	}
	if len(list) == 0 && err == nil {
		return nil, nil, fmt.Errorf("%w: no ProxyModel in %s", abi.ErrNotFound, file)
	}
	return list, checks, nil
}

// splitErrors returns the elements of strictyaml.Errors, or err alone.
func splitErrors(err error) []error {
	var all strictyaml.Errors
	if !errors.As(err, &all) {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	list := make([]error, len(all))
	for i, e := range all {
		list[i] = e
	}
	return list
}

// defaultSamples are the contents that every proxymodel runs on.
var defaultSamples = []Sample{
	{"JSON", `[{"id":"a","name":"one"},{"id":"b","name":"two"}]`},
	{"Markdown", "# Title\n\nSome text.\n\n## Part\n\n- a\n- b\n"},
	{"text", "one line\nanother line\n"},
	{"empty", ""},
}

// dryRun runs the proxymodel on each sample. A stage that fails on them fails on any
// content.
func (l *Lab) dryRun(ctx context.Context, model *proxymodel.Model, samples []Sample) []Check {
	var checks []Check
	for _, s := range samples {
		c := flow.Content{Type: abi.ToolResult, Source: "lab/sample", Bytes: []byte(s.Text), Part: abi.Part{Kind: abi.PartText, Count: 1}}
		shown, err := l.Transformer.Sample(ctx, c, model)
		if err != nil {
			checks = append(checks, Check{Err: err})
			continue
		}
		failed := false
		for _, st := range shown.Run.Stages {
			if st.Error != "" {
				failed = true
				checks = append(checks, Check{Err: fmt.Errorf("%w: on %s: %s", abi.ErrGuest, s.Name, st.Error)})
			}
		}
		if !failed {
			checks = append(checks, Check{What: fmt.Sprintf("proxymodel %q: runs on %s", model.Name, s.Name)})
		}
	}
	return checks
}
