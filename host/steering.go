package host

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// Steer implements proxy.Controllers.
func (c controllers) Steer(s abi.Steered) proxy.Steering { return c.h.chains.Session(s) }
