package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// hookHost implements the host functions of one hook.
type hookHost struct {
	s       *Session
	ctx     context.Context
	role    string
	data    *roleData
	ticket  ticket
	tools   *toolset
	hasTurn bool // whether this hook has the turn
}

var _ abi.HookHost = (*hookHost)(nil)

// newHookHost returns the hookHost of a new hook of a role, with the next ticket in order
// of arrival.
func (s *Session) newHookHost(ctx context.Context, role string, tools *toolset) *hookHost {
	at := s.roleData(role)
	return &hookHost{s: s, ctx: ctx, role: role, data: at, ticket: at.turn.arrive(), tools: tools}
}

func (h *hookHost) acquireTurn() error {
	err := h.data.turn.acquire(h.ctx, h.ticket)
	h.hasTurn = err == nil
	return err
}

func (h *hookHost) releaseTurn() {
	if h.hasTurn {
		h.hasTurn = false
		h.data.turn.release()
	}
}

// errHookTime is the cause when a hook has no time left while it waits for its turn.
var errHookTime = fmt.Errorf("%v have passed", hookTime)

const hookTime = abi.LimitHookMillis * time.Millisecond

// run runs the hook. A panic of the runner counts as a failure of its module.
func (h *hookHost) run(r Runner, c abi.HookCall) (out abi.HookOutput, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = abi.HookOutput{}, faultf(abi.ErrGuest, "did not end: host panicked while it ran: %v", v)
		}
	}()
	request := h.ctx
	ctx, cancel := context.WithTimeoutCause(request, hookTime, errHookTime)
	defer cancel()
	h.ctx = ctx
	return r.Hook(request, c)
}

// Yield implements abi.HookHost. It releases the turn; resume takes it again. resume
// waits at most hookTime from the start of the hook. If it does not get the turn,
// the hook is not committed.
func (h *hookHost) Yield() (resume func()) {
	h.releaseTurn()
	return func() { _ = h.acquireTurn() }
}

// State implements abi.HookHost.
func (h *hookHost) State(key string) ([]byte, bool) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	v, ok := h.data.state.values[key]
	return v, ok
}

// StateSize implements abi.HookHost.
func (h *hookHost) StateSize() (keys, bytes int) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return len(h.data.state.values), h.data.state.bytes
}

// Tools implements abi.HookHost.
func (h *hookHost) Tools() []byte { return h.tools.json(h.role) }

// Tool implements abi.HookHost.
func (h *hookHost) Tool(name string) (abi.ToolKind, string, bool) {
	t := h.tools.find(name)
	if t == nil {
		return "", "", false
	}
	return t.Kind, t.Owner, true
}

// Servers implements abi.HookHost.
func (h *hookHost) Servers() []byte {
	list := []flow.ServerState{}
	if h.s.about.Servers != nil {
		list = append(list, h.s.about.Servers()...)
	}
	b, err := json.Marshal(list)
	if err != nil {
		return []byte("[]") // cannot happen: strings and numbers only
	}
	return b
}

// Prompts implements abi.HookHost.
func (h *hookHost) Prompts() []byte {
	if p := h.s.chains.opts.Prompts; p != nil {
		return p.Prompts(h.s.about.Scope)
	}
	return []byte("[]")
}

// PromptRecords implements abi.HookHost.
func (h *hookHost) PromptRecords() []byte {
	if p := h.s.chains.opts.Prompts; p != nil {
		return p.PromptRecords(h.s.about.Scope)
	}
	return abi.PromptRecords(nil, nil)
}

// KnownPromptBody implements abi.HookHost.
func (h *hookHost) KnownPromptBody(name string) ([]byte, bool) {
	if p := h.s.chains.opts.Prompts; p != nil {
		return p.KnownPromptBody(h.s.about.Scope, name)
	}
	return nil, false
}

// PromptBody implements abi.HookHost.
func (h *hookHost) PromptBody(ctx context.Context, name string, stored bool) ([]byte, error) {
	if p := h.s.chains.opts.Prompts; p != nil {
		return p.PromptBody(ctx, h.s.about.Scope, name, stored)
	}
	return nil, fmt.Errorf("%w: prompt %.80q", abi.ErrNotFound, name)
}

// ProposePrompt implements abi.HookHost.
func (h *hookHost) ProposePrompt(ctx context.Context, proposal []byte) (string, error) {
	if p := h.s.chains.opts.Prompts; p != nil {
		return p.ProposePrompt(ctx, h.s.about.Scope, proposal)
	}
	return "", fmt.Errorf("%w: no prompts can be proposed here", abi.ErrUnavailable)
}

// Content implements abi.HookHost.
func (h *hookHost) Content(ref string) ([]byte, error) {
	if c := h.s.chains.opts.Contents; c != nil {
		return c.Content(h.s.about.Scope, ref)
	}
	return nil, notStored(ref)
}

// ContentMeta implements abi.HookHost.
func (h *hookHost) ContentMeta(ref string) ([]byte, error) {
	if c := h.s.chains.opts.Contents; c != nil {
		return c.ContentMeta(h.s.about.Scope, ref)
	}
	return nil, notStored(ref)
}

// Section implements abi.HookHost.
func (h *hookHost) Section(ctx context.Context, ref, section string) ([]byte, error) {
	if c := h.s.chains.opts.Contents; c != nil {
		return c.Section(ctx, h.s.about.Scope, ref, section)
	}
	return nil, notStored(ref)
}

func notStored(ref string) error {
	return fmt.Errorf("%w: nothing stored under ref %.40q", abi.ErrNotFound, ref)
}
