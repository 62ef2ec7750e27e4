package wasm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Controller is a controller role of a Module, ready to run. Safe for concurrent
// use.
type Controller interface {
	// Wants reports whether the role has something to do in a hook: the hooks of
	// its manifest, or all that the module exports if it names none.
	Wants(h abi.Hook) bool

	// Hook runs the hook of c.Context.Hook in a clean instance, which may take
	// abi.LimitHookMillis, waits of all kinds included. One that the role does
	// not want passes. Nothing that the guest wants to change is in force by it:
	// that is for the caller, who commits the output.
	//
	// Units: as of Guest.Run; c.Host is needed.
	// Errors: as of Guest.Run, with texts that complete
	// `controller "x": on_tool_call `; abi.ErrUnavailable for a hook that has waited
	// too long, for a place or for what it asked. With an error the output has the
	// log and the figures only.
	Hook(ctx context.Context, c abi.HookCall) (abi.HookOutput, error)
}

// Controller gives a controller role of the module.
//
// Errors: abi.ErrNotFound if it has no such role, abi.ErrConfig if that is none.
func (m *Module) Controller(name string) (Controller, error) {
	ro, err := m.role(name)
	switch {
	case err != nil:
		return nil, err
	case ro.Kind != abi.KindController:
		return nil, fmt.Errorf("%w: module %q: role %q is a %s, want a controller", abi.ErrConfig, m.name, name, ro.Kind)
	}
	return &controller{m, ro, m.wanted(ro)}, nil
}

// wanted lists the hooks of a role.
func (m *Module) wanted(ro *role) []abi.Hook {
	if len(ro.Hooks) > 0 {
		return ro.Hooks
	}
	var all []abi.Hook
	for _, h := range module.Hooks() {
		if slices.Contains(m.info.Exports, module.HookExport(h)) {
			all = append(all, h)
		}
	}
	return all
}

// controller runs the hooks of a role in this process.
type controller struct {
	m     *Module
	role  *role
	hooks []abi.Hook
}

// Wants implements Controller.
func (c *controller) Wants(h abi.Hook) bool { return slices.Contains(c.hooks, h) }

// errHookTime is the cause with which a hook is ended that takes too long.
var errHookTime = errors.New("hook takes too long")

// Hook implements Controller.
func (c *controller) Hook(ctx context.Context, hc abi.HookCall) (abi.HookOutput, error) {
	if !c.Wants(hc.Context.Hook) {
		return abi.HookOutput{}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, millis(abi.LimitHookMillis), errHookTime)
	defer cancel()
	h := &hook{HookCall: hc}
	var out abi.HookOutput
	left, err := c.m.serve(ctx, h.job(c.role), func(r *run, done bool) (err error) {
		out, err = h.outcome(r, done)
		return err
	})
	if err != nil {
		return abi.HookOutput{Log: left.log, Stats: left.stats}, hookFault(err, left.began)
	}
	out.Log, out.Stats, out.Provisional = left.log, left.stats, left.provisional
	return out, nil
}

// hookFault says what went wrong in words that follow the name of the hook.
func hookFault(err error, began bool) error {
	f, own := err.(*fault.Error)
	switch {
	case errors.Is(err, errHookTime) && began: // it waited: what it computes has a limit of its own
		return fault.New(abi.ErrUnavailable, "took more than %v, waits included", millis(abi.LimitHookMillis))
	case errors.Is(err, errHookTime):
		return fault.New(abi.ErrUnavailable, "found no place to run in %v (set limits.guests)", millis(abi.LimitHookMillis))
	case !own:
		return err
	case errors.Is(f.Kind, abi.ErrRefused) && !strings.HasPrefix(f.Text, "failed "):
		return fault.New(f.Kind, "failed: %s", f.Text)
	}
	return fault.New(f.Kind, "%s", afterGuest(f.Text))
}

// job is the run of a hook: what it shares with those of stages, and the hook.
func (h *hook) job(ro *role) job {
	x := &h.Context
	return job{role: ro, export: module.HookExport(x.Hook), hook: h, call: abi.Call{
		Role: ro.Name, Config: h.Config, Input: h.Input, Original: h.Original, Session: h.Session,
		Context: abi.Context{Hook: string(x.Hook), Project: x.Project, Source: h.Name, Limits: x.Limits},
	}}
}

// contextJSON is buffer 3, with what the host has filled in for the run.
func (h *hook) contextJSON(of abi.Context) []byte {
	x := h.Context
	x.ABI, x.Role, x.RoleIndex, x.Kind, x.Limits = of.ABI, of.Role, of.RoleIndex, of.Kind, of.Limits
	if x.Result != nil && x.Result.Contents == nil {
		result := *x.Result
		result.Contents = []abi.HookContent{} // a list for guests, never null
		x.Result = &result
	}
	return contextJSON(x)
}
