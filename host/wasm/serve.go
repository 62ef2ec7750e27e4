package wasm

import (
	"context"
	"runtime/debug"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// report describes a run beside its outcome.
type report struct {
	began       bool // it had a slot; otherwise nothing was run
	log         []abi.LogLine
	stats       abi.RunStats
	provisional bool
	settled     <-chan struct{} // closed after the last request in the background; nil: none
}

// serve runs an entry in a clean guest. outcome reads the result of a guest that returned
// DONE or PASS before the guest is gone.
//
// Errors: as for Guest.Run.
func (m *Module) serve(ctx context.Context, j job, outcome func(r *run, done bool) error) (report, error) {
	m.complete(&j)
	if err := m.checkMemory(&j); err != nil {
		return report{}, err
	}
	t, err := m.enter(ctx)
	if err != nil {
		return report{}, err
	}
	r := newRun(ctx, &m.program, t, &j)
	defer func() {
		r.leave()
		if !r.call.IsStarted() || r.guest.plugin != nil {
			r.guest.close()
			m.leave(t)
			return
		}
		m.prepareSpare(r)
	}()
	err = m.runEntry(r, j.export, outcome)
	settled := r.call.FinishRequests()
	return report{true, r.call.FinishLog(), r.stats(), r.call.IsProvisional(), settled}, err
}

// checkMemory returns an error if the call has less memory than a guest has at its start.
func (m *Module) checkMemory(j *job) error {
	if minimum, limit := m.minBytes(), j.call.Context.Limits.MemoryBytes; minimum > limit {
		return fault.NewHost(abi.ErrLimit, "guest needs %s at least (limit %s, set limits.memory)", fault.MiB(minimum), fault.MiB(limit))
	}
	return nil
}

// runEntry runs an entry and evaluates its return code.
func (m *Module) runEntry(r *run, export string, outcome func(r *run, done bool) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			m.rt.log.Error("run panicked", "module", m.info.Hash, "role", r.call.Request().Role, "panic", p, "stack", string(debug.Stack()))
			err = fault.NewHost(abi.ErrGuest, "host failed outside the guest")
		}
	}()
	if !m.takeSpare(r) {
		if err := r.start(); err != nil {
			return err
		}
	}
	code, err := m.engine.enter(r, export)
	if err != nil {
		return err
	}
	switch code {
	case abi.ReturnPass, abi.ReturnDone:
		return outcome(r, code == abi.ReturnDone)
	case abi.ReturnFail:
		if reason := r.call.Failure(); reason != "" {
			return &fault.Error{Kind: abi.ErrRefused, Text: reason, Host: "failed"}
		}
		return fault.NewHost(abi.ErrRefused, "failed without a reason")
	}
	return fault.NewHost(abi.ErrGuest, "returned %d, want 0, 1 or 2", code)
}
