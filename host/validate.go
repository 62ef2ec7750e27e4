package host

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
)

// Check is one thing that ValidateModel looked at.
type Check struct {
	What string
	Err  error // nil: fine
}

// ModelCheck says which proxymodels to check: the one called Name, or those of a
// YAML text.
type ModelCheck struct {
	Name string
	File string // of YAML, for positions
	YAML []byte

	// Samples are contents a stage's author tries it on; nil if nobody knows any.
	Samples func(stage string) []Sample
}

// Sample is a content that a proxymodel is tried on.
type Sample struct{ Name, Text string }

// ValidateModel checks proxymodels: every stage is there, fits the ABI and gets
// what it asks for, its config is valid, and it runs on sample contents.
//
// Errors: abi.ErrNotFound for an unknown name; mistakes are in the Checks.
func (h *Host) ValidateModel(ctx context.Context, what ModelCheck) ([]Check, error) {
	if err := h.ready(ctx); err != nil {
		return nil, err
	}
	list, checks, err := h.modelsToCheck(what.Name, what.File, what.YAML)
	if err != nil {
		return nil, err
	}
	roles, _, _ := h.roles()
	for _, m := range list {
		model, err := proxymodel.Compile(m, roles)
		if err != nil {
			for _, mistake := range each(err) {
				checks = append(checks, Check{Err: mistake})
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
		tried := samples
		for _, step := range model.Steps {
			checks = append(checks, h.fits(ctx, step.Type))
			if isUnchecked(roles, step) {
				checks = append(checks, Check{What: fmt.Sprintf("stage %q: declares no settings, so its config is passed on unchecked", step.Type)})
			}
			if what.Samples != nil {
				tried = append(tried[:len(tried):len(tried)], what.Samples(step.Type)...)
			}
		}
		checks = append(checks, h.dryRun(ctx, model, tried)...)
	}
	return checks, nil
}

// isUnchecked reports whether a step has config and its role declares none.
func isUnchecked(roles roleTable, step proxymodel.Step) bool {
	role, ok := roles.Role(step.Type)
	return ok && role.Config == nil && string(step.Config) != "{}"
}

// fits says which ABI a stage was made for and what it is granted: what its
// manifest asks for, which a module that loaded was checked against.
func (h *Host) fits(ctx context.Context, stage string) Check {
	role, info, err := h.Role(ctx, stage)
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

func (h *Host) modelsToCheck(name, file string, yaml []byte) ([]*object.ProxyModel, []Check, error) {
	if yaml == nil {
		m, ok := h.state.Load().snapshot.ProxyModel(object.Name(name))
		if !ok {
			_, err := h.state.Load().plan.Model(name)
			return nil, nil, err
		}
		return []*object.ProxyModel{m}, nil, nil
	}
	objects, _, err := object.Decode(file, yaml)
	var checks []Check
	for _, mistake := range each(err) {
		checks = append(checks, Check{Err: mistake})
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

// each takes object.Errors apart.
func each(err error) []error {
	var all object.Errors
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

// samples are what stages are tried on.
var samples = []Sample{
	{"JSON", `[{"id":"a","name":"one"},{"id":"b","name":"two"}]`},
	{"Markdown", "# Title\n\nSome text.\n\n## Part\n\n- a\n- b\n"},
	{"text", "one line\nanother line\n"},
	{"empty", ""},
}

// dryRun runs the whole proxymodel on each sample; a stage that fails there will
// fail everywhere.
func (h *Host) dryRun(ctx context.Context, model *proxymodel.Model, samples []Sample) []Check {
	var checks []Check
	for _, s := range samples {
		c := flow.Content{Type: abi.ToolResult, Source: "lab/sample", Bytes: []byte(s.Text), Part: abi.Part{Kind: abi.PartText, Count: 1}}
		shown, err := h.transformer.Sample(ctx, c, model)
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
