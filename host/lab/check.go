package lab

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Finding describes the errors of one object that is about to be applied.
type Finding struct {
	Errors strictyaml.Errors // with positions in the file that the object comes from
	// State describes how content is handled while a proxymodel, or a project's
	// reference to one, is invalid. It is empty if the object itself is used.
	State string
}

// CheckObjects returns the errors of objects that are about to be applied: stages and
// config of proxymodels, references of projects to missing or invalid objects, config
// that a stage itself rejects. It waits until all modules are loaded.
//
// Errors: that of ctx, abi.ErrUnavailable once the Host is closed.
func (l *Lab) CheckObjects(ctx context.Context, objects []object.Object) (map[object.Key]Finding, error) {
	if err := l.Ready(ctx); err != nil {
		return nil, err
	}
	snapshot := l.Snapshot().With(objects)
	roles := l.Roles()
	kept := l.Plan().Kept()
	plan := proxymodel.NewPlan(snapshot, roles, kept)
	if hasErrors(plan, objects) { // a missing stage may have been installed a moment ago
		if err := l.Rescan(ctx); err != nil {
			return nil, err
		}
		roles = l.Roles()
		plan = proxymodel.NewPlan(snapshot, roles, kept)
	}
	found := make(map[object.Key]Finding)
	for _, o := range objects {
		f := Finding{Errors: plan.ObjectErrors(o.Key()), State: stateOf(plan, o.Key())}
		if m, ok := o.(*object.ProxyModel); ok && len(f.Errors) == 0 {
			f.Errors = l.rejections(ctx, plan, m)
		}
		if len(f.Errors) > 0 {
			found[o.Key()] = f
		}
	}
	return found, nil
}

// stateOf describes how content is handled while the object is invalid. It is empty if the
// object is valid.
func stateOf(plan *proxymodel.Plan, key object.Key) string {
	for _, b := range plan.Broken() {
		if b.Name == string(key.Name) && (b.KindName == "proxymodel" && key.Kind == object.KindProxyModel || b.KindName == "project" && key.Kind == object.KindProject) {
			return b.State()
		}
	}
	return ""
}

// hasErrors reports whether any of the objects is invalid.
func hasErrors(plan *proxymodel.Plan, objects []object.Object) bool {
	return slices.ContainsFunc(objects, func(o object.Object) bool { return len(plan.ObjectErrors(o.Key())) > 0 })
}

// rejections returns the errors of the stages of a proxymodel that fail on a line
// of text, because some config can only be checked by its stage.
func (l *Lab) rejections(ctx context.Context, plan *proxymodel.Plan, m *object.ProxyModel) strictyaml.Errors {
	model, err := plan.Model(string(m.Name()))
	if err != nil {
		return nil // reported by CheckObjects
	}
	c := flow.Content{Type: abi.ToolResult, Source: "lab/sample", Bytes: []byte("one line\n"), Part: abi.Part{Kind: abi.PartText, Count: 1}}
	shown, err := l.Transformer.Sample(ctx, c, model)
	if err != nil {
		return nil // not caused by the proxymodel
	}
	var errs strictyaml.Errors // errors of the stages that ran
	for i, st := range shown.Run.Stages {
		if st.ModuleHash == "" || st.Error == "" || st.Outcome != "failed" && st.Outcome != "blocked" || i >= len(m.Spec.Stages) {
			continue
		}
		errs = append(errs, m.Errorf(m.Spec.Stages[i].At, fmt.Sprintf("stages[%d]", i), "fails on one line of text: %s", failure.Reason(st)))
	}
	return errs
}
