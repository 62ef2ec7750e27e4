package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
)

// Check is one thing that ValidateModel looked at.
type Check struct {
	What string
	Err  error // nil: fine
}

// ValidateModel checks a proxymodel: the one called name, or those of a YAML
// text. Each stage is then tried on sample content.
//
// Errors: abi.ErrNotFound for an unknown name; mistakes are in the Checks.
func (h *Host) ValidateModel(ctx context.Context, name, file string, yaml []byte) ([]Check, error) {
	if err := h.ready(ctx); err != nil {
		return nil, err
	}
	list, checks, err := h.modelsToCheck(name, file, yaml)
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
		checks = append(checks, Check{What: fmt.Sprintf("proxymodel %q: %d stages found, config valid", m.Name(), len(model.Steps))})
		checks = append(checks, h.dryRun(ctx, model)...)
	}
	return checks, nil
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
var samples = []struct{ name, text string }{
	{"JSON", `[{"id":"a","name":"one"},{"id":"b","name":"two"}]`},
	{"Markdown", "# Title\n\nSome text.\n\n## Part\n\n- a\n- b\n"},
	{"text", "one line\nanother line\n"},
	{"empty", ""},
}

// dryRun runs the whole proxymodel on each sample; a stage that fails there will
// fail everywhere.
func (h *Host) dryRun(ctx context.Context, model *proxymodel.Model) []Check {
	var checks []Check
	for _, s := range samples {
		c := abi.Content{Type: abi.ToolResult, Source: "lab/sample", Bytes: []byte(s.text), Part: abi.Part{Kind: abi.PartText, Count: 1}}
		shown, err := h.transform(ctx, labScope, c, model)
		if err != nil {
			checks = append(checks, Check{Err: err})
			continue
		}
		failed := false
		for _, st := range shown.Run.Stages {
			if st.Error != "" {
				failed = true
				checks = append(checks, Check{Err: fmt.Errorf("%w: on %s: %s", abi.ErrGuest, s.name, st.Error)})
			}
		}
		if !failed {
			checks = append(checks, Check{What: fmt.Sprintf("proxymodel %q: runs on %s", model.Name, s.name)})
		}
	}
	return checks
}
