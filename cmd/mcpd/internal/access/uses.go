package access

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

// uses knows which projects use which servers. It is safe for concurrent use.
type uses struct {
	mu       sync.RWMutex
	projects map[object.Name][]object.Name // servers of each project
	servers  map[object.Name][]object.Name // projects of each server
	audits   map[object.Name]AuditPolicy   // of projects that set one
}

// AuditPolicy is what is recorded of the calls in a project.
type AuditPolicy struct {
	Strict    bool // a call that cannot be recorded is refused
	Arguments bool // the arguments are recorded, and not only a hash of them
}

// projectsOf returns the projects that use a server.
func (u *uses) projectsOf(server object.Name) []object.Name {
	u.mu.RLock()
	defer u.mu.RUnlock()
	return u.servers[server]
}

// set sets the servers and the policy of a project. nil removes the project.
func (u *uses) set(project object.Name, servers []object.Name, policy AuditPolicy) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.audits, project)
	if policy != (AuditPolicy{}) {
		u.audits[project] = policy
	}
	for _, s := range u.projects[project] {
		// A new slice: readers keep the old one.
		u.servers[s] = slices.DeleteFunc(slices.Clone(u.servers[s]), func(p object.Name) bool { return p == project })
	}
	delete(u.projects, project)
	if len(servers) == 0 {
		return
	}
	u.projects[project] = servers
	for _, s := range servers {
		u.servers[s] = append(slices.Clone(u.servers[s]), project)
	}
}

func (u *uses) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.projects, u.servers = make(map[object.Name][]object.Name), make(map[object.Name][]object.Name)
	u.audits = make(map[object.Name]AuditPolicy)
}

// applyUses updates uses after changes.
func applyUses(ctx context.Context, a *Access, changes []store.Change) error {
	if changes == nil {
		a.uses.clear()
		if err := each(ctx, a, object.KindProject, func(o object.Object, _ string) { a.uses.set(o.Key().Name, serversOf(o), auditPolicyOf(o)) }); err != nil {
			return err
		}
		version, err := a.store.Version(ctx)
		a.history.forget(version)
		return err
	}
	for _, c := range changes {
		switch {
		case c.Key.Kind != object.KindProject:
		case c.Delete:
			a.setUses(c, nil, AuditPolicy{})
		case c.Record != nil:
			o, err := c.Record.Object()
			if err != nil {
				return err
			}
			a.setUses(c, serversOf(o), auditPolicyOf(o))
		}
	}
	return nil
}

// setUses sets the servers of a project, and records those that it ceased to use.
func (a *Access) setUses(c store.Change, servers []object.Name, policy AuditPolicy) {
	dropped := slices.DeleteFunc(slices.Clone(a.ServersOf(c.Key.Name)), func(s object.Name) bool { return slices.Contains(servers, s) })
	a.history.noteDrops(c.Version, dropped)
	a.uses.set(c.Key.Name, servers, policy)
}

func serversOf(o object.Object) []object.Name {
	var names []object.Name
	for _, ref := range o.(*object.Project).ServerRefs() {
		names = append(names, ref.Name)
	}
	return names
}

// IsUsed reports whether a project uses a server.
func (a *Access) IsUsed(server, project object.Name) bool {
	return slices.Contains(a.uses.projectsOf(server), project)
}

// ServersOf returns the servers that a project uses.
func (a *Access) ServersOf(project object.Name) []object.Name {
	a.uses.mu.RLock()
	defer a.uses.mu.RUnlock()
	return a.uses.projects[project]
}

func auditPolicyOf(o object.Object) AuditPolicy {
	spec := o.(*object.Project).Spec
	return AuditPolicy{Strict: spec.Audit == object.AuditStrict, Arguments: spec.AuditArguments}
}

// AuditPolicy returns what is recorded of calls to a server in a project. Calls outside of a
// project are strict if they are in one of the projects that use the server.
func (a *Access) AuditPolicy(server, project object.Name) AuditPolicy {
	a.uses.mu.RLock()
	defer a.uses.mu.RUnlock()
	if project != "" {
		return a.uses.audits[project]
	}
	strict := slices.ContainsFunc(a.uses.servers[server], func(p object.Name) bool { return a.uses.audits[p].Strict })
	return AuditPolicy{Strict: strict}
}
