package access

import (
	"slices"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/rbac"
	"github.com/mcpctl/mcpctl/host/object"
)

// Rules returns what bindings allow a caller, sorted by binding. If project is not "", it leaves
// out the bindings that match nothing in that project.
func (a *Access) Rules(c Caller, project object.Name) []rbac.Rule {
	rules := a.rights.Load().policy.Rules(subjectOf(c))
	if project == "" {
		return rules
	}
	return slices.DeleteFunc(rules, func(r rbac.Rule) bool { return !r.CanMatch(project) })
}
