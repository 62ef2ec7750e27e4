package wasm

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/host/wasm/search"
)

// engine runs the guests of one module according to its format.
type engine interface {
	// start creates the guest of a run and initialises it.
	start(r *run) error
	// enter calls an entry of the guest and returns its return code.
	enter(r *run, export string) (int32, error)
	// close frees the compiled code.
	close()
}

// program is a compiled module.
type program struct {
	rt     *Runtime
	queue  *queue
	engine engine
	info   module.Info

	patterns search.Patterns // that its guests have searched for
}

// role is a role of a module and its index in the manifest.
type role struct {
	abi.Role
	index int
}

// job describes a run.
type job struct {
	role   *role
	export string // the entry
	call   abi.Call
	hook   *abi.HookCall // of a controller
	// services of the call; nil: those of the runtime.
	services *imports.Services
}

// complete sets the fields of the call's context that the module determines, and
// default limits.
func (p *program) complete(j *job) {
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
		l.MemoryBytes = p.rt.limits.Memory
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

// run is one call of one role. It is used by one goroutine at a time, except its clock.
type run struct {
	*program
	turn   *turn
	call   imports.Call
	ctx    context.Context // of the guest; contains the call
	cancel context.CancelCauseFunc
	detach func() bool // from the end of the runtime

	clock    *clock
	guest    *instance // nil before start
	room     int       // minimum capacity of the guest's memory
	keep     bool      // the guest will be restored after its call
	starting string    // the function that initialises the guest, for errors
	returned bool      // from its entry: it did not trap
	fuel     int64     // that its entry used; 0 for a module without counters

	left atomic.Bool // leave was called
}

// stopGrace is the time after its limit in which a guest has to stop in a process of its own.
const stopGrace = 250 * time.Millisecond

// newRun prepares a run. The caller must call close, or leave if the guest is kept.
func newRun(ctx context.Context, p *program, t *turn, j *job) *run {
	r := &run{program: p, turn: t}
	inner, cancel := context.WithCancelCause(ctx)
	r.cancel = cancel
	r.detach = context.AfterFunc(p.rt.ctx, func() { cancel(errClosing) })
	r.ctx = context.WithValue(inner, callKey{}, &r.call)
	r.clock = startClock(timeBudget(p.rt.limits.Time, j.call.Context.Limits), &p.rt.usage, func() {
		cancel(errOutOfTime)
		if p.rt.overrun != nil {
			time.AfterFunc(stopGrace, func() {
				if !r.left.Load() {
					p.rt.overrun()
				}
			})
		}
	})
	r.call.Init(&imports.Config{
		Context: inner, Role: &j.role.Role, Request: j.call, Hook: j.hook, ModuleHash: p.info.Hash, IsCommand: p.info.Format == module.FormatWASI,
		Services: cmp.Or(j.services, &p.rt.services), Patterns: &p.patterns, Scheduler: r, Stopped: &r.clock.expired,
	})
	return r
}

// timeBudget returns the processor time of a call, which may have less than the host's.
func timeBudget(host time.Duration, l abi.GuestLimits) time.Duration {
	if l.TimeMillis > 0 {
		return min(host, millis(l.TimeMillis))
	}
	return host
}

// newMemory returns the memory for a new guest of the run.
func (r *run) newMemory() *memory {
	m := &memory{limit: uint64(r.limits().MemoryBytes), room: r.room, keep: r.keep, pool: &r.rt.memories}
	r.call.SetMemory(&m.Memory)
	return m
}

func (r *run) limits() *abi.GuestLimits { return &r.call.Request().Context.Limits }

// isGivenUp reports whether the caller, the runtime or the clock has ended the run.
func (r *run) isGivenUp() bool { return r.ctx.Err() != nil }

// start creates a guest and initialises it.
func (r *run) start() error {
	r.starting = "start"
	if err := r.engine.start(r); err != nil {
		return err
	}
	r.call.Start()
	return nil
}

// adopt uses a guest that was started earlier, unless its memory exceeds the limit of
// this call.
func (r *run) adopt(i *instance) bool {
	limit := r.limits().MemoryBytes
	if len(i.mem.Bytes) > limit {
		i.close()
		return false
	}
	i.mem.limit = uint64(limit)
	r.guest, r.call.State = i, i.state
	r.call.SetMemory(&i.mem.Memory)
	r.call.Start()
	return true
}

// close ends the run and its guest.
func (r *run) close() {
	r.leave()
	r.guest.close()
}

// leave ends the run but not its guest.
func (r *run) leave() {
	r.left.Store(true)
	r.call.Release()
	r.clock.stop()
	r.detach()
	r.cancel(nil)
}

// stats returns the figures of the run so far.
func (r *run) stats() abi.RunStats {
	return abi.RunStats{Guest: r.clock.spent().Round(time.Microsecond), MemoryBytes: r.guest.memoryBytes(), Fuel: r.fuel, HostCalls: r.call.HostCalls(), LLMRequests: r.call.LLMRequests()}
}

// Pause implements imports.Scheduler.
func (r *run) Pause() (resume func()) {
	r.clock.pause()
	next := r.turn.pause()
	return func() {
		next()
		r.clock.resume()
	}
}

// Yield implements imports.Scheduler.
func (r *run) Yield(ahead time.Duration) {
	r.clock.check(ahead)
	if !r.clock.expired.Load() && r.turn.isDue() {
		r.Pause()()
	}
}

// Suspend implements imports.Scheduler.
func (r *run) Suspend() (resume func(), ok bool) {
	r.clock.pause()
	next, ok := r.turn.suspend()
	if !ok {
		r.clock.resume()
		return nil, false
	}
	return func() {
		next()
		r.clock.resume()
	}, true
}
