package pipeline

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Runner runs one role once. Errors wrap the kinds of package abi and say what
// happened, without naming the stage. An Output that comes with an error counts
// for its Log only. Run may be called again after the request has ended, until
// a provisional result has settled.
type Runner interface {
	Run(ctx context.Context, c abi.Call) (abi.Output, error)
}

// Cache keeps encoded results by key. Neither side modifies a value.
type Cache interface {
	Get(key [32]byte, by flow.Producer) ([]byte, bool)
	Put(key [32]byte, by flow.Producer, value []byte)
}

// Step is one entry of a ProxyModel, ready to run.
type Step struct {
	Role        abi.Role
	RoleIndex   int
	ModuleHash  string
	Config      []byte          // canonical JSON, defaults filled in
	OnFailure   string          // pass, block, placeholder; empty: block for a filter, else pass
	LLMIdentity string          // of the LLM the role may use; empty if it may not
	NoLLM       string          // why there is none, as people read it; empty: none is configured
	Limits      abi.GuestLimits // zero fields: Options.Limits; OutputBytes caps 4 x input + 1 MiB
	Runner      Runner
}

// Values of Step.OnFailure.
const (
	OnFailurePass        = "pass"
	OnFailureBlock       = "block"
	OnFailurePlaceholder = "placeholder"
)

// Request is one Content with the steps of its ProxyModel, filters first.
// Filter and Run each take the steps of their kind from the same list.
type Request struct {
	Scope     flow.Scope
	Cacheable bool // spec.cacheable of the ProxyModel
	Steps     []Step
	Content   flow.Content
	Hash      *[32]byte // SHA-256 of Content.Bytes if the caller has it; else it is computed
	// Sample: the Content is a sample with which an author tries the steps, no traffic.
	// The breaker neither stops nor counts its runs, and reports of filters keep what the
	// guest wrote.
	Sample bool
}

func (r *Request) hash() *[32]byte {
	if r.Hash == nil {
		h := sha256.Sum256(r.Content.Bytes)
		r.Hash = &h
	}
	return r.Hash
}

// Result is what filters or stages made of a Content.
type Result struct {
	Changed bool       // Bytes, with Marks, are to be read in place of the Content
	Bytes   []byte     // always set unless blocked; the Content's own if not Changed
	Hash    [32]byte   // SHA-256 of Bytes, if Changed
	Marks   []abi.Mark // places in Bytes for an index; after Run only
	Text    []byte     // the last output without Marks, the Content's own bytes if no step changed them
	Tree    abi.Tree   // after Run only; may have Sections though nothing changed
	Shape   [32]byte   // names Marks and Tree: equal ones have equal Shapes
	Blocked string     // not empty: nothing may be shown but this text, as an error result

	// Provisional: an LLM answer was missing. If more is to come, an Update follows.
	Provisional bool
	// Limited: a step gave up at a limit, and the Content went on without it.
	Limited bool
	// Final: every step may be cached and none failed, so the same request leads
	// to the same Result.
	Final bool
	// LLMWaited is that of the Content and what the steps have used.
	LLMWaited time.Duration
	Report    []flow.StageReport
	// Failed are runs of this request's own that speak against the version of
	// their module: for the registry, which counts failures of new ones.
	Failed []Failure
	// Opened are entries that a run of this request's own took out of service.
	Opened []Opening
}

// Opening tells that an entry of a ProxyModel went out of service for a while.
type Opening struct{ Role, Cause string }

// Failure is a run in which a module broke.
type Failure struct {
	ModuleHash, Role string
	Err              error
}

// Options of New; the zero value runs without a cache.
type Options struct {
	Cache  Cache            // nil: nothing is cached
	Limits abi.GuestLimits  // of each call; zero fields take the defaults of docs/abi.md
	Now    func() time.Time // default time.Now
}

// Pipeline runs steps. Safe for concurrent use.
type Pipeline struct {
	cache   Cache
	limits  abi.GuestLimits
	now     func() time.Time
	breaker *breaker.Breaker[entry]
	flights flights
	refresh refresher
	life    context.Context // ends at Close
	end     context.CancelFunc

	mu       sync.Mutex // guards closed, and that nothing starts once it is set
	closed   bool
	routines sync.WaitGroup
}

// New returns a Pipeline; the caller closes it.
func New(o Options) *Pipeline {
	if o.Now == nil {
		o.Now = time.Now
	}
	life, end := context.WithCancel(context.Background())
	return &Pipeline{
		cache:   o.Cache,
		limits:  orDefaults(o.Limits),
		now:     o.Now,
		breaker: breaker.New[entry](o.Now),
		flights: flights{running: make(map[[32]byte]*flight)},
		refresh: newRefresher(),
		life:    life,
		end:     end,
	}
}

// Close cancels what is under way, waits for it and closes Updates. A step of a
// later Filter or Run fails, unless it is cached. A second call does nothing.
func (p *Pipeline) Close() {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	p.mu.Unlock()
	if !first {
		return
	}
	p.end()
	p.routines.Wait()
	close(p.refresh.updates)
}

// spawn starts a goroutine that Close waits for; false if it is too late.
func (p *Pipeline) spawn(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.routines.Go(f)
	return true
}

// Filter takes the Content through the steps of kind filter. Its Bytes are the
// original for all that follows; without such a step they are the Content's.
//
// Errors: only that of ctx.
func (p *Pipeline) Filter(ctx context.Context, r Request) (Result, error) {
	return p.take(ctx, r, abi.KindFilter)
}

// Run takes the Content, which is the original now, through the steps of kind
// stage.
//
// Errors: only that of ctx.
func (p *Pipeline) Run(ctx context.Context, r Request) (Result, error) {
	return p.take(ctx, r, abi.KindStage)
}

func (p *Pipeline) take(ctx context.Context, r Request, kind abi.RoleKind) (Result, error) {
	if !slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Role.Kind == kind }) {
		return Result{Bytes: r.Content.Bytes, Text: r.Content.Bytes, Final: r.Cacheable}, nil
	}
	return p.start(ctx, r, kind)
}

// start is apart from take so that a request without steps allocates nothing.
func (p *Pipeline) start(ctx context.Context, r Request, kind abi.RoleKind) (Result, error) {
	t := tour{p: p, r: &r, kind: kind}
	res, err := t.walk(ctx)
	if err == nil && len(t.pending) > 0 && kind == abi.KindStage {
		p.follow(r, &t)
	}
	return res, err
}
