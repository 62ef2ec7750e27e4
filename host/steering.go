package host

import (
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// Steer implements proxy.Controllers.
func (c controllers) Steer(s flow.Steered) proxy.Steering { return c.h.chains.Session(s) }
