package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// The methods of the parent.
const (
	methodLoad method = iota + 1
	methodRun
	methodHook
)

// The methods of the process. Each payload begins with the number of the job.
const (
	methodGet method = iota + 64
	methodSet
	methodAvailable
	methodStored
	methodSend
	methodAwait
	methodSession // the payload continues with a sessionCall
)

// Job is what the guest of one call may ask of the host.
type Job struct {
	Role     abi.Role
	Module   string // hash
	Project  string
	Limits   abi.GuestLimits // complete
	Config   []byte
	KV       imports.KV      // nil: none
	LLM      imports.LLM     // nil: none
	Host     abi.HookHost    // nil: the call is not of a hook
	Lifetime context.Context // of requests in the background

	// Suspend gives up the place of the call while the host runs other guests for it. It
	// returns false if too many calls are suspended.
	Suspend func() (resume func(), ok bool)
}

// isKVOff reports whether the KV is switched off; see imports.KV.
func (j *Job) isKVOff() bool {
	kv, ok := j.KV.(interface{ Off() bool })
	return ok && kv.Off()
}

// job is a Job that runs.
type job struct {
	Job
	ctx    context.Context
	cancel context.CancelFunc

	inSession sync.Mutex // a session is used by one goroutine at a time, whatever the process sends

	mu       sync.Mutex
	requests []sentRequest
	resume   func() // of a hook that waits for an LLM; nil: it does not
	ended    bool   // the call has returned: nothing more is granted
}

type sentRequest struct {
	call       abi.LLMCall
	background bool
}

// begin registers a job and returns its number.
func (p *Process) begin(ctx context.Context, j Job) (int, *job) {
	running := &job{Job: j}
	running.ctx, running.cancel = context.WithCancel(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nextJob++
	p.jobs[p.nextJob] = running
	return p.nextJob, running
}

// end ends a job. It waits for the requests of the job to the session, which are cancelled.
func (p *Process) end(number int) {
	p.mu.Lock()
	j := p.jobs[number]
	delete(p.jobs, number)
	p.mu.Unlock()
	j.cancel()
	j.inSession.Lock()
	defer j.inSession.Unlock()
	j.mu.Lock()
	j.ended = true
	j.mu.Unlock()
	j.continueHook() // the process may have ended while the hook waited
}

// Run runs a stage or filter. If the output is provisional, it also returns the requests in
// the background, in place of Settled of the output.
//
// Errors: those of the run; abi.ErrGuest or abi.ErrLimit if the process ended, which it does
// after a limit.
func (p *Process) Run(ctx context.Context, limit time.Duration, call *abi.Call, j Job) (out abi.Output, background []abi.LLMCall, err error) {
	number, running := p.begin(ctx, j)
	defer p.end(number)
	contents := p.area.take()
	defer contents.release()
	w := newRequest(methodRun, callBytes(call.Input, call.Original, &call.Tree))
	w.area = contents
	w.int(number)
	w.bool(j.isKVOff())
	writeCall(w, call)
	r, err := p.call(ctx, w, limit)
	if err != nil {
		return abi.Output{}, nil, err
	}
	err = p.readResult(r, &out.Log, &out.Stats, func() error { return readOutput(r, call, &out) })
	if err != nil {
		return abi.Output{Log: out.Log, Stats: out.Stats}, nil, err
	}
	if out.Provisional { // a request may have been answered after the guest looked
		background = running.background()
	}
	return out, background, nil
}

// Hook runs a hook within a limit. Errors: as for Run.
func (p *Process) Hook(ctx context.Context, limit time.Duration, call *abi.HookCall, j Job) (out abi.HookOutput, err error) {
	number, _ := p.begin(ctx, j)
	defer p.end(number)
	contents := p.area.take()
	defer contents.release()
	w := newRequest(methodHook, callBytes(call.Input, call.Original, new(abi.Tree)))
	w.area = contents
	w.int(number)
	w.bool(j.isKVOff())
	w.text(j.Role.Name)
	w.int(int(limit))
	writeHookCall(w, call)
	r, err := p.call(ctx, w, limit+time.Second)
	if err != nil {
		return abi.HookOutput{}, err
	}
	err = p.readResult(r, &out.Log, &out.Stats, func() error { return readHookOutput(r, &j, &out) })
	if err != nil {
		return abi.HookOutput{Log: out.Log, Stats: out.Stats}, err
	}
	return out, nil
}

// readResult reads the log, the figures and either the error or the output of a run. It ends
// a process whose result is forged.
func (p *Process) readResult(r *reader, log *[]abi.LogLine, stats *abi.RunStats, output func() error) (err error) {
	*log, *stats = readReport(r)
	switch failed := r.bool(); {
	case r.err != nil:
	case failed:
		return readError(r)
	default:
		err = output()
	}
	if broken := r.done(); broken != nil {
		err = forged(broken.Error())
	}
	if errors.Is(err, errForged) {
		p.conn.breach(err)
	}
	return err
}

// handle answers a request of the process.
func (p *Process) handle(_ context.Context, m method, r *reader) (w *writer, err error) {
	defer func() {
		if v := recover(); v != nil {
			p.log.Error("a request of a module panicked", "panic", v, "stack", string(debug.Stack()))
			w, err = nil, fault.NewHost(abi.ErrUnavailable, "host failed")
		}
	}()
	number := r.int()
	p.mu.Lock()
	j := p.jobs[number]
	p.mu.Unlock()
	if j == nil {
		if p.strays.Add(1) > maxStrays {
			return nil, p.refuse()
		}
		return nil, errJobEnded
	}
	w = newWriter(256)
	if err = j.serve(m, r, w); err == nil {
		err = r.done()
	}
	return w, err
}

var errJobEnded = fault.New(abi.ErrUnavailable, "the call has ended")

// maxStrays limits the requests of calls that have ended: a few arrive late.
const maxStrays = 10_000

// refuse ends a process that asks for calls that it does not have.
func (p *Process) refuse() error {
	p.conn.fail(fmt.Errorf("%w: too many requests for calls that have ended", errFrame))
	return errJobEnded
}

// serve answers a request of the guest.
func (j *job) serve(m method, r *reader, w *writer) error {
	switch m {
	case methodGet, methodSet:
		if j.KV == nil || !j.may(module.CapabilityCache) {
			return errNotGranted
		}
		return j.keep(m, r, w)
	case methodAvailable, methodStored, methodSend, methodAwait:
		if j.LLM == nil || !j.may(module.CapabilityLLM) {
			return errNotGranted
		}
		return j.ask(m, r, w)
	case methodSession:
		if j.Host == nil || !j.may(module.CapabilitySession) {
			return errNotGranted
		}
		return j.session(r, w)
	}
	return errFrame
}

var errNotGranted = fault.New(abi.ErrDenied, "the role does not have the capability")

func (j *job) may(capability string) bool { return slices.Contains(j.Role.Capabilities, capability) }

// keep reads or writes a value of the role.
func (j *job) keep(m method, r *reader, w *writer) error {
	ns := imports.NewNamespace(j.Module, j.Role.Name, j.Project, j.Config)
	key := r.bytes()
	if len(key) > abi.LimitCacheKeyBytes+1 { // see imports: longer ones end with their hash
		return errFrame
	}
	if m == methodSet {
		value := r.bytes()
		if r.err != nil || len(value) > abi.LimitCacheValueBytes {
			return errFrame
		}
		return j.KV.Set(ns, key, value)
	}
	value, ok := j.KV.Get(ns, key)
	w.bool(ok)
	w.bytes(value)
	return nil
}

// ask serves requests to the LLM.
func (j *job) ask(m method, r *reader, w *writer) error {
	switch m {
	case methodAvailable:
		n, err := j.LLM.Available(j.Project, r.int())
		w.int(n)
		return err
	case methodAwait:
		return j.await(r.int(), w)
	}
	q := abi.LLMRequest{Project: j.Project, Module: j.Module}
	readRequest(r, &q)
	if r.err != nil {
		return r.err
	}
	if m == methodStored {
		answer, ok := j.LLM.Stored(q)
		w.bool(ok)
		writeAnswer(w, &answer)
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return errJobEnded
	}
	if len(j.requests) >= j.Limits.LLMRequests {
		return fault.New(abi.ErrLimit, "%d requests in one call, limit %d (limits.llm)", len(j.requests)+1, j.Limits.LLMRequests)
	}
	ctx := j.ctx
	if q.Background {
		ctx = j.Lifetime
	}
	call, err := j.LLM.Send(ctx, q)
	if err != nil {
		return err
	}
	w.int(len(j.requests))
	j.requests = append(j.requests, sentRequest{call, q.Background})
	select {
	case <-call.Done(): // a guest that looks at once finds the answer, as it does in the daemon
		writeOutcome(w, call)
	default:
		w.int(awaitOpen)
	}
	return nil
}

// States of a request in the answers to methodSend and methodAwait.
const (
	awaitOpen = iota
	awaitAnswered
	awaitFailed
	awaitPostponed
)

// await waits for the answer to a request, or until it is postponed.
func (j *job) await(number int, w *writer) error {
	j.mu.Lock()
	if number < 0 || number >= len(j.requests) {
		j.mu.Unlock()
		return errFrame
	}
	call := j.requests[number].call
	j.mu.Unlock()
	var postponed <-chan struct{}
	if p, ok := call.(abi.LLMPostponed); ok {
		postponed = p.Postponed()
	}
	select {
	case <-call.Done():
	case <-postponed:
		w.int(awaitPostponed)
		return nil
	case <-j.ctx.Done():
		return context.Cause(j.ctx)
	}
	writeOutcome(w, call)
	return nil
}

// writeOutcome writes the state and the answer of a request that has ended.
func writeOutcome(w *writer, call abi.LLMCall) {
	answer, err := call.Answer()
	if err != nil {
		w.int(awaitFailed)
		writeError(w, err)
		return
	}
	w.int(awaitAnswered)
	writeAnswer(w, &answer)
}

// background returns the requests in the background.
func (j *job) background() (calls []abi.LLMCall) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, q := range j.requests {
		if q.background {
			calls = append(calls, q.call)
		}
	}
	return calls
}

// sessionCall is a method of abi.HookHost.
type sessionCall int

const (
	callState sessionCall = iota
	callStateSize
	callTools
	callTool
	callServers
	callPrompts
	callPromptRecords
	callKnownPromptBody
	callPromptBody
	callProposePrompt
	callContent
	callContentMeta
	callSection
	callYield
	callResume
)

// session serves the session of a controller.
func (j *job) session(r *reader, w *writer) error {
	j.inSession.Lock()
	defer j.inSession.Unlock()
	if j.ended { // it is set while inSession is locked
		return errJobEnded
	}
	switch call := sessionCall(r.int()); call {
	case callState:
		value, ok := j.Host.State(r.text())
		w.bool(ok)
		w.bytes(value)
	case callStateSize:
		keys, size := j.Host.StateSize()
		w.int(keys)
		w.int(size)
	case callTools:
		w.bytes(j.Host.Tools())
	case callTool:
		kind, owner, ok := j.Host.Tool(r.text())
		w.text(string(kind))
		w.text(owner)
		w.bool(ok)
	case callServers:
		w.bytes(j.Host.Servers())
	case callPrompts:
		w.bytes(j.Host.Prompts())
	case callPromptRecords:
		w.bytes(j.Host.PromptRecords())
	case callKnownPromptBody:
		body, ok := j.Host.KnownPromptBody(r.text())
		w.bool(ok)
		w.bytes(body)
	case callYield:
		return j.pauseHook()
	case callResume:
		j.continueHook()
	default:
		answer, err := j.readSession(call, r)
		w.bytes(answer)
		return err
	}
	return nil
}

// readSession serves the calls that may fail.
func (j *job) readSession(call sessionCall, r *reader) ([]byte, error) {
	switch call {
	case callContent:
		return j.Host.Content(r.text())
	case callContentMeta:
		return j.Host.ContentMeta(r.text())
	case callPromptBody, callProposePrompt, callSection: // these may run other guests
		resume, ok := j.Suspend()
		if !ok {
			return nil, fault.New(abi.ErrUnavailable, "too many hooks wait already")
		}
		defer resume()
	}
	switch call {
	case callPromptBody:
		name, stored := r.text(), r.bool()
		return j.Host.PromptBody(j.ctx, name, stored)
	case callProposePrompt:
		id, err := j.Host.ProposePrompt(j.ctx, r.bytes())
		return []byte(id), err
	case callSection:
		ref, section := r.text(), r.text()
		return j.Host.Section(j.ctx, ref, section)
	}
	return nil, fmt.Errorf("%w: call %d of a session", errFrame, call)
}

// pauseHook gives up the place of a hook and its turn in the session while it waits for an
// LLM.
func (j *job) pauseHook() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.resume != nil {
		return errFrame
	}
	takePlace, ok := j.Suspend()
	if !ok {
		return fault.New(abi.ErrUnavailable, "too many hooks wait already")
	}
	takeTurn := j.Host.Yield()
	j.resume = func() {
		takeTurn() // first: the hook that has the turn may be waiting for the place
		takePlace()
	}
	return nil
}

// continueHook waits until the hook may continue.
func (j *job) continueHook() {
	j.mu.Lock()
	resume := j.resume
	j.resume = nil
	j.mu.Unlock()
	if resume != nil {
		resume()
	}
}
