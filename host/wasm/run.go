package wasm

import (
	"context"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// run is one call of one role: all that its imports read and write. It is the
// context of the calls into the guest, which is how an import finds it.
//
// It is used by one goroutine at a time, the clock apart.
type run struct {
	context.Context
	caller context.Context // the ctx that was given, for its cause
	cancel context.CancelCauseFunc
	detach func() bool // from the end of the runtime

	m        *Module
	role     *role
	call     abi.Call
	hook     *hook  // nil: a stage or filter
	starting string // the function that initialises the instance, for errors
	started  bool   // past _initialize
	returned bool   // from its entry: it did not trap
	clock    *clock
	instance

	command *command // nil: not one

	current   *hostFunc // the import that is running or ran last
	args      []uint64  // its arguments
	lastError string

	bufs    buffers
	grep    compiledPattern
	out     output
	tree    treeBuilder
	meta    metadata
	llm     llmRequests
	private bool
	reason  string // given by fail
	plugged plugged
}

// newRun prepares a run. close must be called.
func newRun(ctx context.Context, m *Module, j job) *run {
	r := &run{caller: ctx, m: m, role: j.role, call: j.call, hook: j.hook}
	c := &r.call
	r.mem = &memory{limit: uint64(c.Context.Limits.MemoryBytes), spares: &m.rt.spares}
	inner, cancel := context.WithCancelCause(ctx)
	r.cancel = cancel
	r.detach = context.AfterFunc(m.rt.ctx, func() { cancel(errClosing) })
	r.Context = experimental.WithMemoryAllocator(inner, r.mem)
	r.bufs.init(r)
	if m.info.Format == module.FormatWASI {
		r.command = newCommand(c)
	}
	r.out.limit = c.Context.Limits.OutputBytes
	r.llm.left = max(millis(c.Context.Limits.LLMMillis)-c.LLMWaited, 0)
	r.clock = startClock(timeOf(m.rt.limits.Time, c.Context.Limits), m.rt.used, func() { cancel(errOutOfTime) })
	return r
}

// close ends the run: the instance is gone, its memory free for another.
func (r *run) close() {
	r.leave()
	r.instance.close()
}

// leave ends the run but not its instance.
func (r *run) leave() {
	r.tree.release()
	r.clock.stop()
	r.detach()
	r.cancel(nil)
}

// start makes the instance and initialises it.
func (r *run) start() error {
	r.starting = "start function"
	if r.m.plugin != nil {
		err := r.plug()
		r.started = err == nil
		return err
	}
	inst, err := r.m.engine.InstantiateModule(r, r.m.compiled, r.m.rt.instance)
	if err != nil {
		return r.cause(err)
	}
	r.inst = inst
	if init := inst.ExportedFunction(abi.ExportInitialize); init != nil && r.command == nil {
		r.starting = abi.ExportInitialize
		if err := init.CallWithStack(r, nil); err != nil {
			return r.cause(err)
		}
	}
	r.started = true
	return nil
}

// enter calls an entry of the guest and gives its return code.
func (r *run) enter(export string) (int32, error) {
	switch r.m.info.Format {
	case module.FormatWASI:
		return r.runCommand()
	case module.FormatExtism:
		return r.runPlugin(export)
	}
	var stack [1]uint64
	if err := r.entryOf(export).CallWithStack(r, stack[:]); err != nil {
		return 0, r.cause(err)
	}
	r.returned = true
	return api.DecodeI32(stack[0]), nil
}

// stats are the figures of the run so far.
func (r *run) stats() abi.RunStats {
	return abi.RunStats{Guest: r.clock.spent().Round(time.Microsecond), MemoryBytes: r.memoryBytes(), HostCalls: r.hostCalls}
}

// memoryBytes is what the guest has taken of its memory.
func (r *run) memoryBytes() int {
	if r.shared != nil {
		return int(r.shared.used())
	}
	return len(r.mem.buf)
}

// pause stops the clock and lets another guest run, until the function it gives
// is called.
func (r *run) pause() (resume func()) {
	r.clock.pause()
	<-r.m.lane.turns
	return func() {
		r.m.lane.turns <- struct{}{}
		r.clock.resume()
	}
}

// park is pause of a run that waits for what may need other guests: it gives up
// its place too, else enough of those that wait would leave none for whom they
// wait for. false: as many are parked as may be.
func (r *run) park() (resume func(), ok bool) {
	l := r.m.lane
	select {
	case l.parked <- struct{}{}:
	default:
		return nil, false
	}
	r.clock.pause()
	<-l.turns
	<-l.slots
	return func() {
		l.slots <- struct{}{}
		l.turns <- struct{}{}
		<-l.parked
		r.clock.resume()
	}, true
}

// yield lets others run while a run waits for an LLM. A hook gives up its turn in
// the session too, to one that will need a place for its guest.
func (r *run) yield() (resume func(), ok bool) {
	if r.hook == nil {
		return r.pause(), true
	}
	back, ok := r.park()
	if !ok {
		return nil, false
	}
	turn := r.hook.Host.Yield()
	return func() {
		turn() // first: who has it now may wait for the place
		back()
		r.hook.recount()
	}, true
}

// timeOf is the processor time of a call: an entry may narrow the host's.
func timeOf(host time.Duration, l abi.GuestLimits) time.Duration {
	if l.TimeMillis > 0 {
		return min(host, millis(l.TimeMillis))
	}
	return host
}
