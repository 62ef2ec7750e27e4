package wasm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Controller is a controller role of a Module, ready to run. Safe for concurrent use.
type Controller interface {
	// Wants reports whether the role uses a hook: the hooks of its manifest, or all that
	// the module exports if the manifest names none.
	Wants(h abi.Hook) bool

	// Hook runs the hook c.Context.Hook in a clean instance. It may take
	// abi.LimitHookMillis, including all waits. A hook that the role does not want passes.
	// Changes by the guest have no effect until the caller commits the output.
	//
	// Limits are as for Guest.Run; c.Host is required.
	//
	// Errors: as for Guest.Run, with texts that complete `controller "x": on_tool_call `;
	// abi.ErrUnavailable for a hook that has waited too long, for a slot or for an answer.
	// With an error the output contains only the log and the figures.
	Hook(ctx context.Context, c abi.HookCall) (abi.HookOutput, error)
}

// controller runs the hooks of a role in this process.
type controller struct {
	m     *Module
	role  *role
	hooks []abi.Hook
}

// Controller returns a controller role of the module.
//
// Errors: abi.ErrNotFound if it has no such role, abi.ErrConfig if that is not a
// controller.
func (m *Module) Controller(name string) (Controller, error) {
	ro, err := m.role(name)
	switch {
	case err != nil:
		return nil, err
	case ro.Kind != abi.KindController:
		return nil, fmt.Errorf("%w: module %q: role %q is a %s, want a controller", abi.ErrConfig, m.name, name, ro.Kind)
	}
	return &controller{m, ro, m.hooks(ro)}, nil
}

// hooks returns the hooks of a role.
func (m *Module) hooks(ro *role) []abi.Hook {
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

// Wants implements Controller.
func (c *controller) Wants(h abi.Hook) bool { return slices.Contains(c.hooks, h) }

// errHookTime is the cause of cancelling a hook that takes too long.
var errHookTime = errors.New("hook takes too long")

// Hook implements Controller.
func (c *controller) Hook(ctx context.Context, hc abi.HookCall) (abi.HookOutput, error) {
	if !c.Wants(hc.Context.Hook) {
		return abi.HookOutput{}, nil
	}
	return c.run(ctx, c.job(&hc), millis(abi.LimitHookMillis))
}

func (c *controller) run(ctx context.Context, j job, limit time.Duration) (out abi.HookOutput, err error) {
	if c.m.remote != nil {
		return c.m.hookRemote(ctx, j, limit)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errHookTime)
	defer cancel()
	rep, err := c.m.serve(ctx, j, func(r *run, done bool) (err error) {
		out, err = r.call.HookOutcome(done)
		return err
	})
	if err != nil {
		return abi.HookOutput{Log: rep.log, Stats: rep.stats}, describeHookError(err, rep.began)
	}
	out.Log, out.Stats, out.Provisional = rep.log, rep.stats, rep.provisional
	return out, nil
}

func (c *controller) job(hc *abi.HookCall) job {
	x := &hc.Context
	return job{role: c.role, export: module.HookExport(x.Hook), hook: hc, call: abi.Call{
		Role: c.role.Name, Config: hc.Config, Input: hc.Input, Original: hc.Original, Session: hc.Session,
		Context: abi.Context{Hook: string(x.Hook), Project: x.Project, Source: hc.Name, Limits: x.Limits},
	}}
}

// describeHookError returns the error with a text that follows the name of the hook.
func describeHookError(err error, began bool) error {
	f, isFault := err.(*fault.Error)
	switch {
	case errors.Is(err, errHookTime) && began: // the hook waited, because computing has its own limit
		return fault.New(abi.ErrUnavailable, "took more than %v, waits included", millis(abi.LimitHookMillis))
	case errors.Is(err, errHookTime):
		return fault.New(abi.ErrUnavailable, "found no place to run in %v (set limits.guests)", millis(abi.LimitHookMillis))
	case !isFault:
		return err
	case errors.Is(f.Kind, abi.ErrRefused) && !strings.HasPrefix(f.Text, "failed "):
		return fault.New(f.Kind, "failed: %s", f.Text)
	}
	return fault.New(f.Kind, "%s", trimSubject(f.Text))
}
