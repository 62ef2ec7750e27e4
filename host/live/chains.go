package live

import (
	"cmp"
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxymodel"
)

// newChains returns the chain of each project: the controllers of its base ProxyModel.
// An invalid ProxyModel has none. In an early state the chain waits for the modules of the
// project.
func (s *State) newChains(ready func(ctx context.Context, project string) error, limits abi.GuestLimits) map[string]*controller.Chain {
	chains := make(map[string]*controller.Chain)
	for _, o := range s.Snapshot.List(object.KindProject) {
		p := o.(*object.Project)
		plan, err := s.Plan.Project(string(p.Name()))
		if err != nil {
			continue
		}
		switch model, err := plan.Model(); {
		case err == nil && len(model.Controllers) > 0:
			chains[plan.Name] = controller.NewChain(p.IsGated(), newMembers(model.Controllers, limits))
		case err != nil && s.Early:
			chains[plan.Name] = controller.NewEarlyChain(func(ctx context.Context) error { return ready(ctx, plan.Name) })
		}
	}
	return chains
}

// gatedProjects returns the projects with a controller that only gated projects have. A
// project with an invalid ProxyModel counts as gated, because its sessions get no content
// in any case.
func (s *State) gatedProjects() map[string]bool {
	gates := make(map[string]bool)
	for _, o := range s.Snapshot.List(object.KindProject) {
		p := o.(*object.Project)
		if !p.IsGated() {
			continue
		}
		plan, err := s.Plan.Project(string(p.Name()))
		if err != nil {
			continue
		}
		model, err := plan.Model()
		gates[plan.Name] = err != nil || slices.ContainsFunc(model.Controllers, func(c proxymodel.Step) bool { return c.GatedOnly })
	}
	return gates
}

// newMembers returns the members of a chain.
func newMembers(steps []proxymodel.Step, limits abi.GuestLimits) []controller.Member {
	list := make([]controller.Member, len(steps))
	for i, s := range steps {
		list[i] = controller.Member{
			Role:   abi.Role{Name: s.Type, Kind: s.Kind, LLM: s.LLM, Hooks: s.Hooks, GatedOnly: s.GatedOnly},
			Config: s.Config, Block: s.OnFailure == object.OnFailureBlock, Limits: minLimits(s.GuestLimits(), limits),
		}
	}
	return list
}

// minLimits returns the limits of an entry, at most those of the host.
func minLimits(l, host abi.GuestLimits) abi.GuestLimits {
	narrow := func(asked *int, given, byDefault int) {
		if most := cmp.Or(given, byDefault); *asked <= 0 || *asked > most {
			*asked = most
		}
	}
	narrow(&l.OutputBytes, host.OutputBytes, abi.LimitOutputBytes)
	narrow(&l.Sections, host.Sections, abi.LimitSections)
	narrow(&l.MemoryBytes, host.MemoryBytes, abi.LimitMemoryBytes)
	narrow(&l.LLMMillis, host.LLMMillis, abi.LimitLLMMillis)
	narrow(&l.LLMRequests, host.LLMRequests, abi.LimitLLMRequests)
	return l
}
