package pipeline

import "github.com/mcpctl/mcpctl/abi"

// entry is a role of a module with its configuration in a ProxyModel. The breaker
// disables single entries: other roles of the module, and the same role with
// another config, stay enabled.
type entry struct {
	module, role, config string
	limits               abi.GuestLimits
}

func (s *Step) entry() entry {
	return entry{module: s.ModuleHash, role: s.Role.Name, config: string(s.Config), limits: s.Limits}
}
