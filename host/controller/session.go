package controller

import (
	"context"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Session runs the controllers of one session. It is safe for concurrent use.
type Session struct {
	chains *Chains
	about  flow.Steered

	mu      sync.Mutex
	roles   map[string]*roleData // by role; kept when a role leaves the chain
	virtual []flow.ListedTool    // tools that controllers have added, hidden
	begun   bool                 // whether any hook was about to run
	closed  bool
}

// roleData is the data that a session keeps for one role.
type roleData struct {
	turn  turn
	state state // guarded by Session.mu
}

// Session returns a new Session.
func (c *Chains) Session(about flow.Steered) *Session {
	return &Session{chains: c, about: about, roles: make(map[string]*roleData)}
}

// Active reports whether the project has any controller, or may have one because
// modules are still loading.
func (s *Session) Active() bool {
	c := s.currentChain()
	return c != nil && (c.wait != nil || len(c.members) > 0)
}

// Wants reports whether any controller has this hook now.
func (s *Session) Wants(h abi.Hook) bool { return s.currentChain().Wants(h) }

// Logs reports whether any controller may send log messages.
func (s *Session) Logs() bool { return s.currentChain().hasLogs() }

func (s *Session) currentChain() *Chain { return s.chains.opts.Source.Chain(s.about.Scope.Project) }

// chain returns the chain for a request. While modules are loaded for the first time
// (see NewEarlyChain), it waits; it returns an empty chain if ctx or Chains ends first.
func (s *Session) chain(ctx context.Context) *Chain {
	c := s.currentChain()
	if c != nil && c.wait != nil {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.chains.life, cancel)()
		for ; c != nil && c.wait != nil; c = s.currentChain() {
			if c.wait(ctx) != nil {
				return &Chain{}
			}
		}
	}
	if c == nil {
		return &Chain{}
	}
	return c
}

// roleData returns the data of a role, created if necessary, and records that a hook is
// about to run.
func (s *Session) roleData(role string) *roleData {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
	at := s.roles[role]
	if at == nil {
		at = new(roleData)
		s.roles[role] = at
	}
	return at
}

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close runs on_close in the background, last controller first, then discards state
// and virtual tools. reason is "client", "idle" or "shutdown". A second call does
// nothing.
//
// on_close waits for a hook that is running. Hooks that wait for their turn do not
// run any more.
func (s *Session) Close(reason string) {
	s.mu.Lock()
	again, begun := s.closed, s.begun
	s.closed = true
	s.mu.Unlock()
	if again {
		return
	}
	c := s.currentChain()
	if !begun || !c.Wants(abi.OnClose) || !s.chains.background(func(ctx context.Context) { s.runOnClose(ctx, reason); s.discard() }) {
		s.discard()
	}
}

// runOnClose runs on_close of all controllers, last controller first.
func (s *Session) runOnClose(ctx context.Context, reason string) {
	c := s.chain(ctx)
	input := reasonInput(reason)
	for i := len(c.members) - 1; i >= 0; i-- {
		s.runHook(ctx, c, i, hookInput{hook: abi.OnClose, input: input, original: input})
	}
}

func (s *Session) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.virtual = nil
	for _, at := range s.roles {
		at.state = state{}
	}
}
