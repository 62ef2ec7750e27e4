package host

import (
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy"
)

var _ proxy.Repeater = (*Host)(nil)

// Epoch changes whenever equal contents may be shown differently from then on.
// It implements proxy.Repeater.
func (h *Host) Epoch() uint64 { return h.state.Load().epoch + h.forgotten.Load() }

// forgetShown drops how results were shown: the next equal result goes through the
// pipeline again.
func (h *Host) forgetShown() { h.forgotten.Add(1) }

// Repeat tells that a result is shown again as before: its originals are kept
// from expiring, and its stages count as found in the cache. It implements
// proxy.Repeater.
func (h *Host) Repeat(scope flow.Scope, refs []string, reports []flow.RunReport) bool {
	for _, ref := range refs {
		if _, ok := h.contents.Touch(h.owner(scope), ref); !ok {
			return false
		}
	}
	if h.cache == nil {
		return true
	}
	for _, r := range reports {
		for _, st := range r.Stages {
			h.cache.CountHit(flow.Producer{Project: scope.Project, Role: st.Role, ModuleHash: st.ModuleHash})
		}
	}
	return true
}
