package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/transform"
)

// plans is the Host as a transform.Plan.
type plans struct{ h *Host }

var _ transform.Plan = plans{}

// Resolve implements transform.Plan.
func (p plans) Resolve(ctx context.Context, project string, c flow.Content) (*proxymodel.Model, error) {
	model, err := p.h.state.Load().plan.Resolve(project, c.Type, c.Source)
	if err == nil {
		return model, nil
	}
	select {
	case <-p.h.loaded:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return p.h.state.Load().plan.Resolve(project, c.Type, c.Source)
}

// Owner implements transform.Plan.
func (p plans) Owner(scope flow.Scope) flow.Scope { return p.h.owner(scope) }

// LLMIdentity implements transform.Plan.
func (p plans) LLMIdentity(project string) string { return p.h.runtime.LLMIdentity(project) }

// NoLLM implements transform.Plan.
func (p plans) NoLLM(project string) string { return p.h.noLLM(project) }

// Epoch implements transform.Plan.
func (p plans) Epoch() uint64 { return p.h.state.Load().epoch }

// owner is the scope under which a content is stored and found. In a project with
// filters it includes them: a ref that was made under other filters, or other
// versions of them, names nothing, for its content may hold what they remove now.
func (h *Host) owner(scope flow.Scope) flow.Scope {
	s := h.state.Load()
	if s.early { // versions are not known before all modules are loaded
		select {
		case <-h.loaded:
		case <-h.life.Done():
		}
		s = h.state.Load()
	}
	if filters := s.filters[scope.Project]; filters != "" {
		scope.Subject += "\x00filters " + filters
	}
	return scope
}

// filterSets names the filters of each project that has some, with their config and
// module: equal names, equal filters.
func (s *state) filterSets(rows []registry.Status) map[string]string {
	modules := make(map[string]string)
	for _, st := range rows {
		if st.Kind == abi.KindFilter {
			modules[st.Name] += st.Hash
		}
	}
	sets := make(map[string]string)
	for _, o := range s.snapshot.List(object.KindProject) {
		plan, err := s.plan.Project(string(o.Key().Name))
		if err != nil {
			continue
		}
		var filters []string
		for _, f := range plan.Filters() {
			filters = append(filters, fmt.Sprintf("%q %s %s %q", f.Type, f.Config, f.OnFailure, modules[f.Type]))
		}
		slices.Sort(filters)
		if filters = slices.Compact(filters); len(filters) > 0 {
			sum := sha256.Sum256(fmt.Append(nil, filters))
			sets[plan.Name] = hex.EncodeToString(sum[:])
		}
	}
	return sets
}
