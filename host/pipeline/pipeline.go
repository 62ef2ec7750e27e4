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

// Runner runs one role once. Errors wrap the kinds of package abi and describe the
// failure without naming the stage. If Run returns an error, only the Log of the
// Output is used. Run may be called again after the request has ended, until a
// provisional result has settled.
type Runner interface {
	Run(ctx context.Context, c abi.Call) (abi.Output, error)
}

// Cache stores encoded results by key. Neither side modifies a value.
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
	LLMIdentity string          // of the LLM that the role may use; empty if it may use none
	NoLLM       string          // reason why there is no LLM; empty if none is configured
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
	Cacheable bool   // spec.cacheable of the ProxyModel
	Model     string // its name; empty if results are not shared
	Steps     []Step
	Content   flow.Content
	Arguments []byte    // buffer 8 of the steps that read it: filtered, without credentials
	Hash      *[32]byte // SHA-256 of Content.Bytes if the caller has it; else it is computed
	// Sample marks the Content as a sample with which an author tries the steps.
	// The breaker neither stops nor counts its runs, and reports of filters keep
	// the messages of the guest.
	Sample bool
}

func (r *Request) hash() *[32]byte {
	if r.Hash == nil {
		h := sha256.Sum256(r.Content.Bytes)
		r.Hash = &h
	}
	return r.Hash
}

// Result is the result of all filters or all stages for a Content.
type Result struct {
	Changed bool       // Bytes, with Marks, replace the Content
	Bytes   []byte     // always set unless blocked; the Content's own if not Changed
	Hash    [32]byte   // SHA-256 of Bytes, if Changed
	Marks   []abi.Mark // places in Bytes for an index; after Run only
	Text    []byte     // the last output without Marks, the Content's own bytes if no step changed them
	Tree    abi.Tree   // after Run only; may have Sections even if not Changed
	Shape   [32]byte   // identifies Marks and Tree: equal ones have equal Shapes
	Blocked string     // if not empty, only this text may be shown, as an error result

	// Provisional: an LLM answer was missing. If it may still arrive, an Update
	// follows.
	Provisional bool
	// Limited: a step reached a limit and was skipped.
	Limited bool
	// Final: every step may be cached and none failed, so an equal request has an
	// equal Result.
	Final bool
	// LLMWaited is the waiting time of the Content plus that of the steps.
	LLMWaited time.Duration
	Report    []flow.StageReport
	// Failed are the runs of this request that count against the version of their
	// module. The registry counts the failures of new versions.
	Failed []Failure
	// Opened are the entries that a run of this request disabled.
	Opened []Opening
}

// Opening describes an entry of a ProxyModel that the breaker disabled for a while.
type Opening struct{ Role, Cause string }

// Failure is a failed run that counts against its module.
type Failure struct {
	ModuleHash, Role string
	Err              error
}

// Options of New; the zero value runs without a cache.
type Options struct {
	Cache  Cache  // nil: nothing is cached
	Shared Shared // nil: nothing is shared
	// CheckTree returns an error for sections that an original cannot have. Required with Shared.
	CheckTree func(original []byte, t abi.Tree) error
	Limits    abi.GuestLimits  // of each call; zero fields take the defaults of docs/abi.md
	Now       func() time.Time // default time.Now
}

// Pipeline runs steps. It is safe for concurrent use.
type Pipeline struct {
	cache     Cache
	shared    Shared
	checkTree func([]byte, abi.Tree) error
	limits    abi.GuestLimits
	now       func() time.Time
	breaker   *breaker.Breaker[entry]
	flights   flights
	refresh   refresher
	life      context.Context // ends at Close
	end       context.CancelFunc

	mu       sync.Mutex // guards closed: no goroutine starts once it is set
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
		cache:     o.Cache,
		shared:    o.Shared,
		checkTree: o.CheckTree,
		limits:    orDefaults(o.Limits),
		now:       o.Now,
		breaker:   breaker.New[entry](o.Now),
		flights:   flights{running: make(map[[32]byte]*flight)},
		refresh:   newRefresher(),
		life:      life,
		end:       end,
	}
}

// Close cancels all runs, waits for them and closes Updates. Steps of a later
// Filter or Run fail unless they are cached. A second call does nothing.
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

// spawn starts a goroutine that Close waits for. It returns false after Close.
func (p *Pipeline) spawn(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.routines.Go(f)
	return true
}

// Filter runs the steps of kind filter on the Content. The Bytes of the Result are
// the original for all later steps.
//
// Errors: only that of ctx.
func (p *Pipeline) Filter(ctx context.Context, r Request) (Result, error) {
	return p.take(ctx, r, abi.KindFilter)
}

// Run runs the steps of kind stage on the Content, which is the original.
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

// start is a separate function so that take allocates nothing for a request without
// steps.
func (p *Pipeline) start(ctx context.Context, r Request, kind abi.RoleKind) (Result, error) {
	l := loop{p: p, r: &r, kind: kind}
	res, err := l.walk(ctx)
	if err == nil && len(l.pending) > 0 && kind == abi.KindStage {
		p.follow(r, &l)
	}
	return res, err
}
