package controller

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// hookInput is the input of one hook.
type hookInput struct {
	hook            abi.Hook
	input, original []byte
	name            string
	client          []byte
	chars           int    // remaining characters for instructions
	owner           string // owner of the called virtual tool
	call            *abi.CalledTool
	result          *abi.HookResult
	tools           *toolset // nil for the tools of the session
}

// isOwn reports whether the hook is on_tool_call for a virtual tool of this role. No
// other controller can answer it.
func (q *hookInput) isOwn(role string) bool {
	return q.hook == abi.OnToolCall && q.call.Virtual && role == q.owner
}

// hookOutcome is the result of a hook.
type hookOutcome struct {
	out    abi.HookOutput
	report flow.HookReport
	err    error // if not nil, no effect of out is applied
	ran    bool  // whether the module ran and its request was not cancelled
}

// runHook waits for the turn of one member, runs its hook and commits the changes to
// the session. It reports false if the member does not have the hook or the session
// is closed.
func (s *Session) runHook(ctx context.Context, c *Chain, i int, q hookInput) (hookOutcome, bool) {
	m := &c.members[i]
	if !m.hasHook(q.hook) {
		return hookOutcome{}, false
	}
	if q.tools == nil {
		q.tools = &toolset{load: s.tools}
	}
	h := s.newHookHost(ctx, m.Role.Name, q.tools)
	r := hookOutcome{report: flow.HookReport{Role: m.Role.Name, Hook: q.hook, Outcome: "pass"}}
	begin := s.chains.opts.Now()
	ran := true
	if err := h.acquireTurn(); err != nil {
		r.err = faultf(err, "did not run: gave up waiting for its turn: %v", err)
	} else {
		defer h.releaseTurn()
		if q.hook != abi.OnClose && s.isClosed() {
			return hookOutcome{}, false
		}
		begin = s.chains.opts.Now()
		ran = s.runModule(h, c, i, &q, &r, begin)
	}
	r.report.Micros = s.chains.opts.Now().Sub(begin).Microseconds()
	if ran {
		s.completeReport(m, &q, &r)
	}
	return r, ran
}

// runModule runs the hook in the module that plays the role now. It reports false if that
// module does not have the hook.
func (s *Session) runModule(h *hookHost, c *Chain, i int, q *hookInput, r *hookOutcome, at time.Time) bool {
	m := &c.members[i]
	p, release, err := s.chains.opts.Source.Acquire(h.ctx, m.Role.Name)
	if err != nil {
		r.err = faultf(err, "did not run: %v", err)
		return true
	}
	defer release()
	r.report.ModuleHash = p.Hash
	if !p.Wants(q.hook) {
		return false
	}
	key := circuitKey{p.Hash, m.Role.Name, string(m.Config)}
	permit, err := s.chains.breaker.Allow(key, 0)
	if err != nil {
		r.err = faultf(err, "did not run: %v", err)
		return true
	}
	r.report.TimeMs = at.UnixMilli()
	request := h.ctx
	r.out, r.err = h.run(p.Runner, s.call(h, c, i, q, p.Index, at))
	s.chains.breaker.Done(permit, breakerVerdict(r.err))
	switch {
	case r.err != nil:
	case !h.hasTurn:
		r.err = faultf(context.Cause(h.ctx), "did not get its turn back: %v", context.Cause(h.ctx))
	case q.hook != abi.OnClose:
		r.err = s.commit(h, q, &r.out)
	}
	r.ran = r.err == nil || request.Err() == nil
	return true
}

// call returns the arguments of the hook.
func (s *Session) call(h *hookHost, c *Chain, i int, q *hookInput, index int, at time.Time) abi.HookCall {
	m := &c.members[i]
	client := s.about.Client
	if q.hook == abi.OnInitialize {
		client.InstructionsChars = q.chars
	}
	return abi.HookCall{
		Context: abi.HookContext{
			ABI: abi.Version, Role: m.Role.Name, RoleIndex: index, Kind: abi.KindController, Hook: q.hook,
			Project: s.about.Scope.Project, Gated: c.gated, TimeMs: at.UnixMilli(), Protocol: s.about.Protocol,
			Controller: abi.StagePos{Index: i, Count: len(c.members)},
			Client:     client, Call: q.call, Result: q.result, Limits: m.limits(len(q.input)),
		},
		Config: m.Config, Input: q.input, Original: q.original, Name: q.name,
		Session: s.about.Scope.Session, Client: q.client, Host: h,
	}
}

// commit applies the changes of a hook to the session. On error it applies none.
func (s *Session) commit(h *hookHost, q *hookInput, out *abi.HookOutput) error {
	if err := checkEdits(out, q); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return faultf(abi.ErrUnavailable, "ended after its session")
	}
	if err := h.data.state.check(out.State); err != nil {
		return err
	}
	if err := s.checkNames(h.role, out.Tools, q.tools); err != nil {
		return err
	}
	h.data.state.apply(out.State)
	s.claim(h.role, out.Tools)
	return nil
}

// loggedAtFailure is the number of last log lines in the report of a failed hook.
const loggedAtFailure = 5

// completeReport completes the report and calls Options.Ended.
func (s *Session) completeReport(m *Member, q *hookInput, r *hookOutcome) {
	r.report.Log, r.report.Meta, r.report.LLMRequests = r.out.Log, r.out.Meta, r.out.Stats.LLMRequests
	switch {
	case r.err != nil:
		r.report.Outcome = "failed"
		r.report.Error = describe(m, q.hook, r.err, q.isOwn(m.Role.Name))
		r.report.Log, r.report.Meta = r.out.Log[max(0, len(r.out.Log)-loggedAtFailure):], nil
		r.out = abi.HookOutput{}
	case r.out.Done:
		r.report.Outcome = "done"
	case r.out.Rewrite != nil:
		r.report.Rewrite = r.out.Rewrite.Tool
	}
	s.chains.opts.Ended(Ending{Project: s.about.Scope.Project, Report: r.report, Err: r.err, Ran: r.ran, ModuleFault: isModuleFault(r.err)})
}
