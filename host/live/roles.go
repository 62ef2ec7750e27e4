package live

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
)

// roleTable holds the roles of one moment, for a plan.
type roleTable struct {
	roles  map[string]abi.Role
	absent map[string]string // by the name of a module in stages/: why it has no role
}

// Role implements proxymodel.Roles.
func (r roleTable) Role(name string) (abi.Role, bool) {
	role, ok := r.roles[name]
	return role, ok
}

// Absent implements proxymodel.Absences.
func (r roleTable) Absent(name string) string { return r.absent[name] }

// Names implements proxymodel.Roles.
func (r roleTable) Names() []string {
	names := make([]string, 0, len(r.roles))
	for n := range r.roles {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Roles returns the roles that exist now.
func (c *Config) Roles() proxymodel.Roles {
	table, _, _ := c.listRoles()
	return table
}

// listRoles returns the roles that exist, with those of built-in modules that are not
// compiled yet, the rows of the registry, and a string that identifies all modules.
func (c *Config) listRoles() (roleTable, []registry.Status, string) {
	table := roleTable{make(map[string]abi.Role), make(map[string]string)}
	for _, r := range c.opts.BuiltinRoles {
		table.roles[r.Name] = r
	}
	var names strings.Builder
	rows := c.opts.Modules.Status()
	for _, st := range rows {
		if role, ok := c.opts.Modules.Lookup(st.Name); ok {
			table.roles[st.Name] = role
		} else {
			table.absent[st.Name] = st.Why
		}
		fmt.Fprintln(&names, st.Name, st.Source, st.Hash, table.absent[st.Name])
	}
	sum := sha256.Sum256([]byte(names.String()))
	return table, rows, hex.EncodeToString(sum[:6])
}
