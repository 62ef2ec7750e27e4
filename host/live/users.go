package live

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/registry"
)

// ModelUsers returns the projects whose content depends on a local proxymodel:
// "project home". It is empty if a built-in proxymodel has the
// same name.
func (c *Config) ModelUsers(name string) (users []string) {
	key := object.Key{Kind: object.KindProxyModel, Name: object.Name(name)}
	if object.HasBuiltIn(key) {
		return nil
	}
	for _, p := range c.state.Load().Snapshot.UsedBy(key) {
		users = append(users, "project "+string(p.Name()))
	}
	return users
}

// StageUsers returns the proxymodels that name a local role, with their projects:
// "proxymodel m (project home, work)". It is empty for a role that is not local, and
// if a built-in role has the same name.
func (c *Config) StageUsers(name string) (users []string) {
	if slices.ContainsFunc(c.opts.BuiltinRoles, func(r abi.Role) bool { return r.Name == name }) {
		return nil
	}
	if !slices.ContainsFunc(c.opts.Modules.Status(), func(st registry.Status) bool { return st.Name == name && st.Source != registry.SourceBuiltin }) {
		return nil
	}
	snapshot := c.state.Load().Snapshot
	for _, o := range snapshot.List(object.KindProxyModel) {
		m := o.(*object.ProxyModel)
		if !slices.ContainsFunc(slices.Concat(m.Spec.Controllers, m.Spec.Stages), func(e object.Entry) bool { return string(e.Type.Name) == name }) {
			continue
		}
		user := "proxymodel " + string(m.Name())
		var projects []string
		for _, p := range snapshot.UsedBy(m.Key()) {
			projects = append(projects, string(p.Name()))
		}
		if len(projects) > 0 {
			user += " (project " + strings.Join(projects, ", ") + ")"
		}
		users = append(users, user)
	}
	return users
}
