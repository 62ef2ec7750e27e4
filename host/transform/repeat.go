package transform

import "github.com/mcpctl/mcpctl/host/flow"

// Epoch changes whenever equal content may be shown differently from then on. It
// implements view.Repeater.
func (t *Transformer) Epoch() uint64 { return t.Plan.Epoch() + t.forgotten.Load() }

// ForgetShown makes the next equal result go through the pipeline again.
func (t *Transformer) ForgetShown() { t.forgotten.Add(1) }

// Repeat records that a result is shown again unchanged: its originals do not expire,
// and its stages count as cache hits. It returns false if an original is gone. It
// implements view.Repeater.
func (t *Transformer) Repeat(scope flow.Scope, refs []string, reports []flow.RunReport) bool {
	for _, ref := range refs {
		if _, ok := t.Contents.Touch(t.Plan.Owner(scope), ref); !ok {
			return false
		}
	}
	if t.Cache == nil {
		return true
	}
	for _, r := range reports {
		for _, st := range r.Stages {
			t.Cache.CountHit(flow.Producer{Project: scope.Project, Role: st.Role, ModuleHash: st.ModuleHash})
		}
	}
	return true
}
