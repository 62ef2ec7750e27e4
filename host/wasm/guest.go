package wasm

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// Guest is one role of a Module, ready to run. Safe for concurrent use.
type Guest interface {
	// Run runs the role over one Content in a clean instance.
	//
	// Units: limits of the call stand in c.Context.Limits; zero fields take the
	// default of the ABI. Role, role index, kind and hook of the Context are set
	// from the module, whatever they were.
	// Errors: abi.ErrLimit or abi.ErrGuest for what is the guest's fault, with
	// the text that completes `stage "x": `, abi.ErrRefused if it said FAIL; the
	// cause of ctx if it ended; abi.ErrUnavailable if the Module was closed. With an error the Output has
	// the log and the figures only.
	Run(ctx context.Context, c abi.Call) (abi.Output, error)
}

// role is a role of a module and its place in the manifest.
type role struct {
	abi.Role
	index int
}

// guest runs a stage or filter role in this process.
type guest struct {
	m    *Module
	role *role
}

// Run implements Guest.
func (g *guest) Run(ctx context.Context, c abi.Call) (abi.Output, error) {
	c.Role, c.Context.Hook = g.role.Name, "stage"
	var out abi.Output
	left, err := g.m.serve(ctx, job{role: g.role, export: g.m.entries[g.role.Name], call: c}, func(r *run, done bool) (err error) {
		out, err = r.outcome(done)
		return err
	})
	if err != nil {
		return abi.Output{Log: left.log, Stats: left.stats}, err
	}
	out.Log, out.Stats, out.Provisional, out.Settled = left.log, left.stats, left.provisional, left.settled
	return out, nil
}

// outcome is what a stage or filter gives for DONE or PASS.
func (r *run) outcome(done bool) (out abi.Output, err error) {
	out = abi.Output{Pass: true, Marks: r.call.Marks} // the content stays, and so do its marks
	if done {
		if out, err = r.done(); err != nil {
			return abi.Output{}, err
		}
	}
	if out.Tree, err = r.tree.finish(r, r.meta.values["type"]); err != nil {
		return abi.Output{}, err
	}
	out.Meta, out.Private = r.meta.values, r.private
	return out, nil
}

// done is the outcome of DONE, if the guest kept the rules of output.
func (r *run) done() (abi.Output, error) {
	if !r.role.Transforming() {
		return abi.Output{}, fault.NewHost(abi.ErrGuest, "returned DONE, manifest says transforms: false")
	}
	text, err := r.out.whole()
	return abi.Output{Bytes: text, Marks: r.out.sortedMarks()}, err
}

// Guest gives a stage or filter role of the module.
//
// Errors: abi.ErrNotFound if it has no such role, abi.ErrConfig if that is a
// controller.
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

func (m *Module) role(name string) (*role, error) {
	i := slices.IndexFunc(m.info.Manifest.Roles, func(r abi.Role) bool { return r.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("module %q: role %q: %w", m.name, name, abi.ErrNotFound)
	}
	return &role{m.info.Manifest.Roles[i], i}, nil
}
