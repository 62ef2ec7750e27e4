package wasm

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
)

// Guest is one role of a Module, ready to run. Safe for concurrent use.
type Guest interface {
	// Run runs the role on one Content in a clean instance.
	//
	// The limits of the call are in c.Context.Limits; zero fields have the default of the
	// ABI. Role, role index, kind and hook of the Context are set from the module.
	//
	// Errors: abi.ErrLimit or abi.ErrGuest for a fault of the guest, with a text that
	// completes `stage "x": `; abi.ErrRefused if it returned FAIL; the cause of ctx if it
	// ended; abi.ErrUnavailable if the Module was closed. With an error the Output contains
	// only the log and the figures.
	Run(ctx context.Context, c abi.Call) (abi.Output, error)
}

// guest runs a stage or filter role in this process.
type guest struct {
	m    *Module
	role *role
}

// Guest returns a stage or filter role of the module.
//
// Errors: abi.ErrNotFound if it has no such role, abi.ErrConfig if that is a controller.
func (m *Module) Guest(name string) (Guest, error) {
	ro, err := m.role(name)
	switch {
	case err != nil:
		return nil, err
	case ro.Kind == abi.KindController:
		return nil, fmt.Errorf("%w: module %q: role %q is a controller, want a stage or filter", abi.ErrConfig, m.name, name)
	}
	return &guest{m, ro}, nil
}

// Run implements Guest.
func (g *guest) Run(ctx context.Context, c abi.Call) (abi.Output, error) {
	c.Role, c.Context.Hook = g.role.Name, "stage"
	return g.run(ctx, job{role: g.role, export: g.m.prepared.Entries[g.role.Name], call: c})
}

func (g *guest) run(ctx context.Context, j job) (out abi.Output, err error) {
	if g.m.remote != nil {
		return g.m.runRemote(ctx, j)
	}
	rep, err := g.m.serve(ctx, j, func(r *run, done bool) (err error) {
		out, err = r.call.Outcome(done)
		return err
	})
	if err != nil {
		return abi.Output{Log: rep.log, Stats: rep.stats}, err
	}
	out.Log, out.Stats, out.Provisional, out.Settled = rep.log, rep.stats, rep.provisional, rep.settled
	return out, nil
}
