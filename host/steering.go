package host

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// steering is a controller.Session as the endpoint sees it.
type steering struct{ session *controller.Session }

var _ proxy.Steering = steering{}

// Steer implements proxy.Controllers.
func (c controllers) Steer(s proxy.Steered) proxy.Steering {
	return steering{c.h.chains.Session(controller.About{Scope: s.Scope, Client: s.Client, Protocol: s.Protocol, Tools: s.Tools, Servers: s.Servers})}
}

// Active implements proxy.Steering.
func (s steering) Active() bool { return s.session.Active() }

// Wants implements proxy.Steering.
func (s steering) Wants(h abi.Hook) bool { return s.session.Wants(h) }

// Initialize implements proxy.Steering.
func (s steering) Initialize(ctx context.Context, params json.RawMessage) ([]byte, []abi.HookReport) {
	return s.session.Initialize(ctx, params)
}

// ListTools implements proxy.Steering.
func (s steering) ListTools(ctx context.Context, reason string, tools []abi.ListedTool) ([]abi.ListedTool, proxy.Effects) {
	list, fx := s.session.ListTools(ctx, reason, tools)
	return list, proxy.Effects(fx)
}

// Call implements proxy.Steering.
func (s steering) Call(ctx context.Context, c proxy.SteeredCall) proxy.CallVerdict {
	v := s.session.Call(ctx, controller.Call(c))
	return proxy.CallVerdict{Answer: (*proxy.SteeredAnswer)(v.Answer), By: v.By, Tool: v.Tool, Arguments: v.Arguments, Effects: proxy.Effects(v.Effects)}
}

// Result implements proxy.Steering.
func (s steering) Result(ctx context.Context, c proxy.SteeredCall, v proxy.CallVerdict, r proxy.SteeredResult) proxy.ResultVerdict {
	out := s.session.Result(ctx, controller.Call(c), controller.Verdict{By: v.By, Tool: v.Tool, Arguments: v.Arguments},
		controller.Result{Result: r.Result, Facts: r.HookResult})
	return proxy.ResultVerdict{Answer: (*proxy.SteeredAnswer)(out.Answer), Effects: proxy.Effects(out.Effects)}
}

// Close implements proxy.Steering.
func (s steering) Close(reason string) { s.session.Close(reason) }
