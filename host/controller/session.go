package controller

import (
	"context"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Session is the controllers of one session. Safe for concurrent use.
type Session struct {
	chains *Chains
	about  flow.Steered

	mu      sync.Mutex
	seats   map[string]*seat  // by role; one that leaves the chain keeps its seat
	virtual []flow.ListedTool // what Virtual lists
	begun   bool              // a hook was asked
	closed  bool
}

// seat is what is kept of a role.
type seat struct {
	turn  turn
	state state // guarded by Session.mu
}

// Session begins to steer a session.
func (c *Chains) Session(about flow.Steered) *Session {
	return &Session{chains: c, about: about, seats: make(map[string]*seat)}
}

// Active reports whether any controller has a hook to run now. Without one the
// session is as if there were no controllers.
func (s *Session) Active() bool {
	c := s.configured()
	return c != nil && (c.early != nil || len(c.members) > 0)
}

// Wants reports whether any controller has this hook now.
func (s *Session) Wants(h abi.Hook) bool { return s.configured().Wants(h) }

// Logs reports whether any controller may send log messages.
func (s *Session) Logs() bool { return s.configured().logs() }

func (s *Session) configured() *Chain { return s.chains.opts.Source.Chain(s.about.Scope.Project) }

// chain is the chain that a request meets, empty if ctx ends before that is known.
func (s *Session) chain(ctx context.Context) *Chain {
	c := s.configured()
	for c != nil && c.early != nil {
		select {
		case <-c.early:
			c = s.configured()
		case <-ctx.Done():
			return &Chain{}
		case <-s.chains.life.Done():
			return &Chain{}
		}
	}
	if c == nil {
		return &Chain{}
	}
	return c
}

// seat is where a role sits in the session.
func (s *Session) seat(role string) *seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
	at := s.seats[role]
	if at == nil {
		at = new(seat)
		s.seats[role] = at
	}
	return at
}

func (s *Session) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close runs on_close in the background, last controller first, and drops what is
// kept. reason is client, idle or shutdown. A second call does nothing.
//
// Hooks that run end first; those that wait for their turn run no more.
func (s *Session) Close(reason string) {
	s.mu.Lock()
	again, begun := s.closed, s.begun
	s.closed = true
	s.mu.Unlock()
	if again {
		return
	}
	c := s.configured()
	if !begun || !c.Wants(abi.OnClose) || !s.chains.background(func(ctx context.Context) { s.say(ctx, reason); s.drop() }) {
		s.drop()
	}
}

// say tells the controllers that the session has ended.
func (s *Session) say(ctx context.Context, reason string) {
	c := s.chain(ctx)
	input := reasonOf(reason)
	for i := len(c.members) - 1; i >= 0; i-- {
		s.ask(ctx, c, i, question{hook: abi.OnClose, input: input, original: input})
	}
}

func (s *Session) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.virtual = nil
	for _, at := range s.seats {
		at.state = state{}
	}
}
