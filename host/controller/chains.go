package controller

import (
	"context"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Runner is one controller of one module. It is safe for concurrent use.
type Runner interface {
	// Wants reports whether the module implements the hook.
	Wants(h abi.Hook) bool

	// Hook runs a hook in a clean guest and returns its effects without applying
	// them.
	//
	// The text of an error completes `controller "x": on_tool_call `. With an
	// error, the output contains only the log and the figures.
	Hook(ctx context.Context, c abi.HookCall) (abi.HookOutput, error)
}

// Player is the module that plays a role at this moment.
type Player struct {
	Runner
	Hash  string // of the module
	Index int    // of the role in the module's manifest
}

// Source provides the configured controllers. Implementations are safe for
// concurrent use.
type Source interface {
	// Chain returns the present controllers of a project, without waiting.
	Chain(project string) *Chain

	// Acquire returns the Player of a role. It can be used until release is called,
	// even if its module is replaced. Acquire may wait for a module that is being
	// loaded.
	Acquire(ctx context.Context, role string) (p Player, release func(), err error)
}

// Contents reads the stored contents of a project and subject.
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

// Ending is the result of a hook.
type Ending struct {
	Project     string
	Report      flow.HookReport
	Err         error // nil if it did not fail
	Ran         bool  // whether the module ran and its request was not cancelled
	ModuleFault bool  // whether Err is a fault of the module
}

// Options are the settings of Open.
type Options struct {
	Source   Source // required
	Contents Contents
	Prompts  Prompts
	Ended    func(Ending)     // called after every hook; must not block
	Now      func() time.Time // default time.Now
}

// circuitKey is the unit that the breaker takes out of service: a role of a module
// with one configuration.
type circuitKey struct{ module, role, config string }

// Chains creates Sessions. It is safe for concurrent use.
type Chains struct {
	opts    Options
	breaker *breaker.Breaker[circuitKey]

	life context.Context // cancelled by Close
	end  context.CancelFunc

	mu      sync.Mutex
	closed  bool
	closing sync.WaitGroup // sessions whose on_close is running
}

// Open returns Chains. The caller must close them.
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

// Close waits for the on_close hooks of closed sessions and cancels them when ctx is
// done. Sessions that are closed later run no hooks. A second call does nothing.
func (c *Chains) Close(ctx context.Context) {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, c.end)
	defer stop()
	c.closing.Wait()
	c.end()
}

// background starts f in a goroutine unless c is closed.
func (c *Chains) background(f func(ctx context.Context)) (begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.closing.Go(func() { f(c.life) })
	return true
}
