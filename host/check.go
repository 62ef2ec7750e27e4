package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
)

// Finding is what is wrong with one object that is about to be applied.
type Finding struct {
	Errors object.Errors // with positions in the file that the object comes from
	// State says what content gets while a proxymodel, or a project's reference to
	// one, is invalid. It is empty if the object itself will serve.
	State string
}

// Check returns the errors of objects that are about to be applied: stages and
// config of proxymodels, references of projects that lead nowhere or to an invalid
// proxymodel, config that a stage itself refuses. It waits until all modules are
// loaded.
//
// Errors: that of ctx, abi.ErrUnavailable once the Host is closed.
func (h *Host) Check(ctx context.Context, objects []object.Object) (map[object.Key]Finding, error) {
	if err := h.ready(ctx); err != nil {
		return nil, err
	}
	snapshot := h.state.Load().snapshot.With(objects)
	roles, _, _ := h.roles()
	kept := h.state.Load().plan.Kept()
	plan := proxymodel.NewPlan(snapshot, roles, kept)
	if anyMistake(plan, objects) { // a stage that seems missing may have been installed a moment ago
		if err := h.modules.Rescan(ctx); err != nil {
			return nil, err
		}
		roles, _, _ = h.roles()
		plan = proxymodel.NewPlan(snapshot, roles, kept)
	}
	found := make(map[object.Key]Finding)
	for _, o := range objects {
		f := Finding{Errors: plan.Mistakes(o.Key()), State: stateOf(plan, o.Key())}
		if m, ok := o.(*object.ProxyModel); ok && len(f.Errors) == 0 {
			f.Errors = h.refusals(ctx, plan, m)
		}
		if len(f.Errors) > 0 {
			found[o.Key()] = f
		}
	}
	return found, nil
}

// stateOf is what content gets while the object is invalid, empty if it is valid.
func stateOf(plan *proxymodel.Plan, key object.Key) string {
	for _, b := range plan.Broken() {
		if b.Name == string(key.Name) && (b.KindName == "proxymodel" && key.Kind == object.KindProxyModel || b.KindName == "project" && key.Kind == object.KindProject) {
			return b.State()
		}
	}
	return ""
}

func anyMistake(plan *proxymodel.Plan, objects []object.Object) bool {
	return slices.ContainsFunc(objects, func(o object.Object) bool { return len(plan.Mistakes(o.Key())) > 0 })
}

// refusals are the stages of a proxymodel that fail on a line of text: some
// config only its stage can judge.
func (h *Host) refusals(ctx context.Context, plan *proxymodel.Plan, m *object.ProxyModel) object.Errors {
	model, err := plan.Model(string(m.Name()))
	if err != nil {
		return nil // reported by Check
	}
	c := flow.Content{Type: abi.ToolResult, Source: "lab/sample", Bytes: []byte("one line\n"), Part: abi.Part{Kind: abi.PartText, Count: 1}}
	shown, err := h.transformer.Sample(ctx, c, model)
	if err != nil {
		return nil // not the proxymodel's doing
	}
	var errs object.Errors // of those that ran: one whose module is not there refuses nothing
	for i, st := range shown.Run.Stages {
		if st.ModuleHash == "" || st.Error == "" || st.Outcome != "failed" && st.Outcome != "blocked" || i >= len(m.Spec.Stages) {
			continue
		}
		errs = append(errs, m.Errorf(m.Spec.Stages[i].At, fmt.Sprintf("stages[%d]", i), "fails on one line of text: %s", failure.Reason(st)))
	}
	return errs
}
