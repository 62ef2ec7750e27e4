package pipeline

import "github.com/mcpctl/mcpctl/abi"

// entry is a role of a module as a ProxyModel configures it: what the breaker
// takes out of service. Neither another role of the module nor the same role with
// another config pays for it.
type entry struct {
	module, role, config string
	limits               abi.GuestLimits
}

func (s *Step) entry() entry {
	return entry{module: s.ModuleHash, role: s.Role.Name, config: string(s.Config), limits: s.Limits}
}
