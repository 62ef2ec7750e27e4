package controller

import (
	"context"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Runner is one controller of one module. Safe for concurrent use.
type Runner interface {
	// Wants reports whether there is such a hook to run.
	Wants(h abi.Hook) bool

	// Hook runs a hook in a clean guest. Nothing that it wants is in force yet.
	//
	// Errors: with a text that completes `controller "x": on_tool_call `. The
	// output then has the log and the figures only.
	Hook(ctx context.Context, c abi.HookCall) (abi.HookOutput, error)
}

// Player is who plays a role at this moment.
type Player struct {
	Runner
	Hash  string // of the module
	Index int    // of the role in the module's manifest
}

// Source tells what is configured. Implementations are safe for concurrent use.
type Source interface {
	// Chain returns the controllers of a project as they are now, at once.
	Chain(project string) *Chain

	// Acquire finds who plays a role; it can be used until release is called, also
	// if its module is replaced meanwhile. It may wait for a module that is being
	// loaded.
	Acquire(ctx context.Context, role string) (p Player, release func(), err error)
}

// Contents reads what is stored for a project and subject.
//
// Errors: abi.ErrNotFound.
type Contents interface {
	Content(scope flow.Scope, ref string) ([]byte, error)
	ContentMeta(scope flow.Scope, ref string) ([]byte, error)
	Section(ctx context.Context, scope flow.Scope, ref, section string) ([]byte, error)
}

// Prompts reads the prompts of a project; see abi.HookHost.
type Prompts interface {
	Prompts(scope flow.Scope) []byte
	PromptRecords(scope flow.Scope) []byte
	KnownPromptBody(scope flow.Scope, name string) (body []byte, ok bool)
	PromptBody(ctx context.Context, scope flow.Scope, name string, stored bool) ([]byte, error)
	ProposePrompt(ctx context.Context, scope flow.Scope, proposal []byte) (id string, err error)
}

// Ending is how a hook ended.
type Ending struct {
	Project string
	Report  flow.HookReport
	Err     error // nil if it did not fail
	Ran     bool  // the module was asked, and its request did not end before it
	Against bool  // the error speaks against the module
}

// Options of Open.
type Options struct {
	Source   Source // required
	Contents Contents
	Prompts  Prompts
	Ended    func(Ending)     // is told of every hook; must not wait
	Now      func() time.Time // default time.Now
}

// circuitKey is what the breaker takes out of service: a role of a module as a
// project configures it.
type circuitKey struct{ module, role, config string }

// Chains makes Sessions. Safe for concurrent use.
type Chains struct {
	opts    Options
	breaker *breaker.Breaker[circuitKey]

	life context.Context // ends at Close
	end  context.CancelFunc

	mu      sync.Mutex
	closed  bool
	closing sync.WaitGroup // sessions whose on_close runs
}

// Open makes Chains. They must be closed.
func Open(o Options) *Chains {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Ended == nil {
		o.Ended = func(Ending) {}
	}
	life, end := context.WithCancel(context.Background())
	return &Chains{opts: o, breaker: breaker.New[circuitKey](o.Now), life: life, end: end}
}

// Close waits for the hooks of sessions that have ended, until ctx does. Sessions
// that are closed later run none. It can be called twice.
func (c *Chains) Close(ctx context.Context) {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, c.end)
	defer stop()
	c.closing.Wait()
	c.end()
}

// background runs f unless c is closed.
func (c *Chains) background(f func(ctx context.Context)) (begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.closing.Go(func() { f(c.life) })
	return true
}
