package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/worker"
)

// usesProcesses reports whether modules that are not trusted run in processes of their own.
func (r *Runtime) usesProcesses() bool {
	return len(r.opts.Worker) > 0 && len(r.opts.Compiler) > 0 && r.opts.CacheDir != ""
}

// remote is the process of a module. It is started at the first call and ended when the
// module has not been used for spareLifetime.
type remote struct {
	rt       *Runtime
	prepared *prepared
	lock     chan struct{} // held while the fields below are used

	process *worker.Process // nil: none
	uses    int
	idle    *time.Timer // nil: it is in use, or there is none
	since   time.Time   // when it became idle
}

// description is what a process needs to run a module.
type description struct {
	Prepared      *prepared
	CodePath      string
	CacheDir      string
	Limits        Limits
	HasKV, HasLLM bool
}

func newRemote(r *Runtime, p *prepared) *remote {
	return &remote{rt: r, prepared: p, lock: make(chan struct{}, 1)}
}

// acquire returns the process of the module, which it starts if there is none. The caller
// must call release.
//
// Errors: those of the start of the module; the cause of ctx.
func (m *remote) acquire(ctx context.Context) (*worker.Process, error) {
	select {
	case m.lock <- struct{}{}:
		defer func() { <-m.lock }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if m.process != nil && m.process.Ended() {
		m.process = nil
		m.rt.processes.remove(m)
	}
	if m.process == nil {
		p, err := m.start(ctx)
		if errors.Is(err, abi.ErrNotFound) { // its code is missing or damaged
			if err = m.prepareAgain(ctx); err == nil {
				p, err = m.start(ctx)
			}
		}
		if err != nil {
			return nil, err
		}
		m.process = p
		m.rt.processes.add(m)
	}
	m.uses++
	if m.idle != nil {
		m.idle.Stop()
		m.idle = nil
	}
	return m.process, nil
}

// start starts the process and, in it, the module.
func (m *remote) start(ctx context.Context) (*worker.Process, error) {
	d := description{Prepared: m.prepared, CodePath: m.prepared.codePath(), CacheDir: m.rt.opts.CacheDir, Limits: m.rt.limits, HasKV: m.rt.opts.KV != nil, HasLLM: m.rt.opts.LLM != nil}
	text, err := json.Marshal(&d)
	if err != nil {
		return nil, err
	}
	p, err := worker.Start(m.rt.opts.Worker, m.rt.log.With("name", m.prepared.Info.Name, "module", m.prepared.Info.Hash))
	if err != nil {
		return nil, err
	}
	if err := p.Load(ctx, text, m.rt.limits.Compile+wallFactor*m.rt.limits.Time); err != nil {
		p.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return p, nil
}

// prepareAgain reads the file of the module again and stores its code.
func (m *remote) prepareAgain(ctx context.Context) error {
	r, hash := m.rt, m.prepared.Info.Hash
	again := fault.New(abi.ErrUnavailable, "its code in the cache is missing or damaged, to prepare it again: mcpctl reload")
	m.prepared.remove()
	if r.opts.Reread == nil {
		return again
	}
	file, err := r.opts.Reread(m.prepared.Info.Name)
	if err != nil {
		return again
	}
	p, err := prepare(r.opts.CacheDir, m.prepared.Info.Name, hash, func() ([]byte, error) { return file, nil }, false)
	if err != nil || p.Info.Hash != hash { // the file was replaced, and its new version is being loaded
		return again
	}
	code, err := r.compileOutside(ctx, p.code, p.Info.Format, func() bool { return true })
	if err != nil {
		return err
	}
	r.log.Warn("code of a module was missing or damaged, it was prepared again", "module", hash)
	m.prepared.CodeSum = sha256.Sum256(code)
	return p.store(code)
}

// release ends a use. It does not wait while another call starts a process.
func (m *remote) release() {
	select {
	case m.lock <- struct{}{}:
		m.endUse()
	default:
		m.rt.background.Go(func() {
			m.lock <- struct{}{}
			m.endUse()
		})
	}
}

// endUse ends a use and releases the lock.
func (m *remote) endUse() {
	defer func() { <-m.lock }()
	if m.uses--; m.uses == 0 {
		m.since = time.Now()
		m.idle = time.AfterFunc(spareLifetime, m.endIdle)
	}
}

// endIdle ends the process unless it is in use.
func (m *remote) endIdle() {
	m.lock <- struct{}{}
	defer func() { <-m.lock }()
	if m.uses > 0 || m.process == nil {
		return
	}
	m.process.Close()
	m.process = nil
	m.rt.processes.remove(m)
}

// close ends the process of a module that is not used any more.
func (m *remote) close() { m.rt.background.Go(m.endIdle) }

// processes are the processes of a Runtime.
type processes struct {
	mu  sync.Mutex
	all map[*remote]*worker.Process
}

// maxIdle limits the processes that wait for a call.
const maxIdle = 16

// add adds the process of m, which the caller holds, and ends the process that has been
// idle for the longest time if there are too many.
func (p *processes) add(m *remote) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = make(map[*remote]*worker.Process)
	}
	p.all[m] = m.process
	if len(p.all) <= maxIdle {
		return
	}
	var oldest *remote
	for other := range p.all {
		if other != m && other.isIdleBefore(oldest) {
			oldest = other
		}
	}
	if oldest != nil {
		go oldest.endIdle()
	}
}

// isIdleBefore reports whether the process has been idle for longer than that of other,
// which may be nil.
func (m *remote) isIdleBefore(other *remote) bool {
	select {
	case m.lock <- struct{}{}:
		defer func() { <-m.lock }()
	default:
		return false // it starts, or it is about to be used
	}
	return m.uses == 0 && (other == nil || m.since.Before(other.since))
}

// Processes returns the number of processes of modules that are not trusted.
func (r *Runtime) Processes() int {
	r.processes.mu.Lock()
	defer r.processes.mu.Unlock()
	return len(r.processes.all)
}

func (p *processes) remove(m *remote) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, m)
}

// close ends all processes and waits for them.
func (p *processes) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, process := range p.all {
		process.Close()
		process.Wait()
	}
	p.all = nil
}

// runRemote runs a stage or filter in the process of the module.
func (m *Module) runRemote(ctx context.Context, j job) (out abi.Output, err error) {
	ctx, cancel := m.rt.untilClosed(ctx)
	defer cancel()
	err = m.withProcess(ctx, &j, func(p *worker.Process, t *turn) error {
		var open []abi.LLMCall
		out, open, err = p.Run(ctx, m.longestRun(&j), &j.call, m.grant(&j, t))
		out.Settled = m.rt.awaitAll(open)
		return err
	})
	return out, endedBy(ctx, err)
}

// longestRun returns more than the longest time of a call: it may wait for others of its
// module, and for an LLM.
func (m *Module) longestRun(j *job) time.Duration {
	l := &m.rt.limits
	return time.Duration(l.Guests)*wallFactor*l.Time + millis(j.call.Context.Limits.LLMMillis) + 10*time.Second
}

// hookRemote runs a hook in the process of the module.
func (m *Module) hookRemote(ctx context.Context, j job, limit time.Duration) (out abi.HookOutput, err error) {
	ctx, cancel := m.rt.untilClosed(ctx)
	defer cancel()
	timed, stop := context.WithTimeoutCause(ctx, limit, errHookTime)
	defer stop()
	began := false
	err = m.withProcess(timed, &j, func(p *worker.Process, t *turn) error {
		began = true
		at, _ := timed.Deadline()
		out, err = p.Hook(ctx, time.Until(at), j.hook, m.grant(&j, t)) // the process has the same limit
		return err
	})
	if err != nil && !began {
		return abi.HookOutput{}, describeHookError(err, false)
	}
	var f *fault.Error
	if err = endedBy(ctx, err); errors.As(err, &f) {
		err = &fault.Error{Kind: f.Kind, Text: trimSubject(f.Text)}
	}
	return out, err
}

// endedBy returns the error of a call that the end of ctx may have ended.
func endedBy(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("run given up: %w", context.Cause(ctx))
	}
	return err
}

// withProcess calls do in a slot of the queue.
func (m *Module) withProcess(ctx context.Context, j *job, do func(p *worker.Process, t *turn) error) error {
	m.complete(j)
	if err := m.checkMemory(j); err != nil {
		return err
	}
	t, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer m.leave(t)
	p, err := m.remote.acquire(ctx)
	if err != nil {
		return err
	}
	defer m.remote.release()
	return do(p, t)
}

// untilClosed returns a context that also ends when the Runtime is closed.
func (r *Runtime) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	detach := context.AfterFunc(r.ctx, func() { cancel(errClosing) })
	return ctx, func() {
		detach()
		cancel(nil)
	}
}

// grant returns the job of a call: the services of the host for its guest.
func (m *Module) grant(j *job, t *turn) worker.Job {
	x := &j.call.Context
	return worker.Job{
		Role: j.role.Role, Module: m.info.Hash, Project: x.Project, Limits: x.Limits, Config: j.call.Config,
		KV: m.rt.opts.KV, LLM: m.rt.opts.LLM, Host: hostOf(j.hook), Lifetime: m.rt.ctx, Suspend: t.suspend,
	}
}

func hostOf(h *abi.HookCall) abi.HookHost {
	if h == nil {
		return nil
	}
	return h.Host
}

// awaitAll returns a channel that is closed when all calls have ended, nil if there are none.
func (r *Runtime) awaitAll(calls []abi.LLMCall) <-chan struct{} {
	if len(calls) == 0 {
		return nil
	}
	settled := make(chan struct{})
	r.background.Go(func() {
		defer close(settled)
		for _, c := range calls {
			select {
			case <-c.Done():
			case <-r.ctx.Done():
				return
			}
		}
	})
	return settled
}
