package wasm

import (
	"context"
	"runtime/debug"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// job is what a run is for.
type job struct {
	role   *role
	export string // the entry
	call   abi.Call
	hook   *hook // of a controller
}

// remains is what a run leaves beside its outcome.
type remains struct {
	began       bool // it had a place; else nothing was run
	log         []abi.LogLine
	stats       abi.RunStats
	provisional bool
	settled     <-chan struct{} // of requests in the background; nil: none
}

// serve runs an entry in a clean instance and lets outcome take what a guest that
// said DONE or PASS has done, before the instance is gone.
//
// Errors: as of Guest.Run.
func (m *Module) serve(ctx context.Context, j job, outcome func(r *run, done bool) error) (remains, error) {
	m.complete(&j)
	if least := int(m.minPages) * module.PageBytes; least > j.call.Context.Limits.MemoryBytes {
		return remains{}, fault.NewHost(abi.ErrLimit, "guest needs %s at least (limit %s, set limits.memory)", fault.MiB(least), fault.MiB(j.call.Context.Limits.MemoryBytes))
	}
	leave, err := m.enter(ctx)
	if err != nil {
		return remains{}, err
	}
	r := newRun(ctx, m, j)
	defer func() {
		r.leave()
		if !r.started || r.plugin != nil {
			r.instance.close()
			leave()
			return
		}
		m.makeAhead(r, leave)
	}()
	err = r.serve(j.export, outcome)
	settled := r.llm.end(r)
	return remains{true, r.log.all(), r.stats(), r.llm.provisional, settled}, err
}

// complete fills in what the module knows better than the caller.
func (m *Module) complete(j *job) {
	x := &j.call.Context
	x.ABI, x.Role, x.RoleIndex, x.Kind = abi.Version, j.role.Name, j.role.index, j.role.Kind
	l := &x.Limits
	if l.OutputBytes <= 0 {
		l.OutputBytes = min(abi.LimitOutputFactor*len(j.call.Input)+abi.LimitOutputExtraBytes, abi.LimitOutputBytes)
	}
	if l.Sections <= 0 {
		l.Sections = abi.LimitSections
	}
	if l.MemoryBytes <= 0 {
		l.MemoryBytes = m.rt.limits.Memory
	}
	if l.LLMMillis <= 0 {
		l.LLMMillis = abi.LimitLLMMillis
	}
	if l.LLMRequests <= 0 {
		l.LLMRequests = abi.LimitLLMRequests
	}
	if j.call.Config == nil {
		j.call.Config = []byte("{}")
	}
}

// serve runs an entry and takes its return code apart.
func (r *run) serve(export string, outcome func(r *run, done bool) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.m.rt.log.Error("run panicked", "module", r.m.info.Hash, "role", r.role.Name, "panic", p, "stack", string(debug.Stack()))
			err = fault.NewHost(abi.ErrGuest, "host failed outside the guest")
		}
	}()
	if !r.take() {
		if err := r.start(); err != nil {
			return err
		}
	}
	code, err := r.enter(export)
	if err != nil {
		return err
	}
	switch code {
	case abi.ReturnPass, abi.ReturnDone:
		return outcome(r, code == abi.ReturnDone)
	case abi.ReturnFail:
		if r.reason == "" {
			return fault.NewHost(abi.ErrRefused, "failed without a reason")
		}
		return &fault.Error{Kind: abi.ErrRefused, Text: r.reason, Host: "failed"}
	}
	return fault.NewHost(abi.ErrGuest, "returned %d, want 0, 1 or 2", code)
}
