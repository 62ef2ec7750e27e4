package wasm

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
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
	g.complete(&c)
	if least := int(g.m.minPages) * pageBytes; least > c.Context.Limits.MemoryBytes {
		return abi.Output{}, faultf(abi.ErrLimit, "guest needs %s at least (limit %s, set limits.memory)", mib(least), mib(c.Context.Limits.MemoryBytes))
	}
	done, err := g.m.enter(ctx)
	if err != nil {
		return abi.Output{}, err
	}
	r := newRun(ctx, g.m, g.role, c)
	defer func() {
		room := len(r.mem.buf)
		r.close()
		if !r.started {
			done()
			return
		}
		g.m.makeAhead(room, done)
	}()
	out, err := g.run(r)
	settled := r.llm.end(r)
	if err != nil {
		return abi.Output{Log: r.log.all(), Stats: r.stats()}, err
	}
	out.Provisional, out.Settled = r.llm.provisional, settled
	return out, nil
}

// complete fills in what the module knows better than the caller.
func (g *guest) complete(c *abi.Call) {
	x := &c.Context
	c.Role = g.role.Name
	x.ABI, x.Role, x.RoleIndex, x.Kind, x.Hook = abi.Version, g.role.Name, g.role.index, g.role.Kind, "stage"
	l := &x.Limits
	if l.OutputBytes <= 0 {
		l.OutputBytes = min(abi.LimitOutputFactor*len(c.Input)+abi.LimitOutputExtraBytes, abi.LimitOutputBytes)
	}
	if l.Sections <= 0 {
		l.Sections = abi.LimitSections
	}
	if l.MemoryBytes <= 0 {
		l.MemoryBytes = g.m.rt.limits.Memory
	}
	if l.LLMMillis <= 0 {
		l.LLMMillis = abi.LimitLLMMillis
	}
	if l.LLMRequests <= 0 {
		l.LLMRequests = abi.LimitLLMRequests
	}
	if c.Config == nil {
		c.Config = []byte("{}")
	}
}

func (g *guest) run(r *run) (out abi.Output, err error) {
	defer func() {
		if p := recover(); p != nil {
			g.m.rt.log.Error("run panicked", "module", g.m.info.Hash, "role", g.role.Name, "panic", p, "stack", string(debug.Stack()))
			out, err = abi.Output{}, faultf(abi.ErrGuest, "host failed outside the guest")
		}
	}()
	if !r.take() {
		if err := r.start(); err != nil {
			return abi.Output{}, err
		}
	}
	code, err := r.enter(abi.ExportStage)
	if err != nil {
		return abi.Output{}, err
	}
	switch code {
	case abi.ReturnPass:
		return r.passed()
	case abi.ReturnDone:
		return r.done()
	case abi.ReturnFail:
		if r.reason == "" {
			return abi.Output{}, faultf(abi.ErrRefused, "failed without a reason")
		}
		return abi.Output{}, faultf(abi.ErrRefused, "%s", r.reason)
	}
	return abi.Output{}, faultf(abi.ErrGuest, "returned %d, want 0, 1 or 2", code)
}

// passed is the outcome of PASS: the content stays, and so do its marks.
func (r *run) passed() (abi.Output, error) {
	return r.outcome(abi.Output{Pass: true, Marks: r.call.Marks})
}

// done is the outcome of DONE, if the guest kept the rules of output.
func (r *run) done() (abi.Output, error) {
	switch {
	case !r.role.Transforming():
		return abi.Output{}, faultf(abi.ErrGuest, "returned DONE, manifest says transforms: false")
	case r.out.full:
		return abi.Output{}, faultf(abi.ErrLimit, "output over %s bytes (set limits.output)", group(r.out.limit))
	case !r.out.wrote:
		return abi.Output{}, faultf(abi.ErrGuest, "returned DONE without output")
	}
	if !utf8.Valid(r.out.bytes) {
		at := 0
		if bad, ok := jsonspan.ValidUTF8(r.out.bytes).(*jsonspan.SyntaxError); ok {
			at = bad.Offset
		}
		return abi.Output{}, faultf(abi.ErrGuest, "output is not UTF-8 at byte %d", at)
	}
	if r.out.bytes == nil {
		r.out.bytes = []byte{}
	}
	return r.outcome(abi.Output{Bytes: r.out.bytes, Marks: r.out.sortedMarks()})
}

// outcome adds what both outcomes have.
func (r *run) outcome(o abi.Output) (abi.Output, error) {
	tree, err := r.tree.finish(r, r.meta.values["type"])
	if err != nil {
		return abi.Output{}, err
	}
	o.Tree, o.Meta, o.Log, o.Private, o.Stats = tree, r.meta.values, r.log.all(), r.private, r.stats()
	return o, nil
}

// Guest gives a role of the module.
//
// Errors: abi.ErrNotFound if it has no such role, abi.ErrUnavailable for a
// controller, which this host cannot run yet.
func (m *Module) Guest(name string) (Guest, error) {
	i := slices.IndexFunc(m.info.Manifest.Roles, func(r abi.Role) bool { return r.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("module %q: role %q: %w", m.name, name, abi.ErrNotFound)
	}
	ro := &role{m.info.Manifest.Roles[i], i}
	if ro.Kind == abi.KindController {
		return nil, fmt.Errorf("module %q: role %q is a controller, which this version does not run: %w", m.name, name, abi.ErrUnavailable)
	}
	return &guest{m, ro}, nil
}
