package wasm

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// Options says how modules run. The zero value works: no cache of compiled
// code, no values kept, no LLM, the limits of the ABI, nothing logged.
type Options struct {
	// CacheDir keeps compiled code across starts. What lies in it is executed:
	// it must be writable by the user alone. Empty: memory only.
	CacheDir string
	Limits   Limits
	KV       KV           // cache_get and cache_set; nil: they answer UNAVAILABLE
	LLM      LLM          // nil: none configured
	Log      *slog.Logger // nil: nothing is logged

	// SideBySide compiles every module with all processors, as only our own are
	// otherwise: a fault of the compiler then ends the process. It is for programs
	// of an author, who waits for one module.
	SideBySide bool
}

// Limits are those of the settings; zero fields take the default of the ABI.
// Limits that a guest is told stand in the Context of each Call.
type Limits struct {
	Memory  int           // bytes of one guest; default 64 MiB
	Time    time.Duration // processor time of one run; default 2 s
	Compile time.Duration // wall time of one compilation; default 60 s
	Guests  int           // runs of our modules at one time, and of others, the rest wait; default 16. Hooks that wait for other runs do not count
}

func (l Limits) withDefaults() Limits {
	if l.Memory <= 0 {
		l.Memory = abi.LimitMemoryBytes
	}
	if l.Time <= 0 {
		l.Time = millis(abi.LimitTimeMillis)
	}
	if l.Compile <= 0 {
		l.Compile = time.Minute
	}
	if l.Guests <= 0 {
		l.Guests = 16
	}
	return l
}

// KV keeps values for guests. Safe for concurrent use. One that may be there and
// not be there also has Off() bool: while it reports true there is none.
type KV interface {
	// Get returns the value kept under a key, which nobody modifies.
	Get(ns Namespace, key []byte) (value []byte, ok bool)
	// Set keeps copies. An error that wraps abi.ErrLimit answers LIMIT to the
	// guest, any other UNAVAILABLE.
	Set(ns Namespace, key, value []byte) error
}

// noCache reports whether there is no cache.
func (r *Runtime) noCache() bool {
	kv, may := r.opts.KV.(interface{ Off() bool })
	return r.opts.KV == nil || may && kv.Off()
}

// Namespace is whose values they are. All values of one Module count together
// against limits.cache, which is for the KV to hold.
type Namespace struct {
	Module  string // hash
	Role    string
	Project string
	Config  [32]byte // SHA-256 of the canonical config
}

// Runtime loads modules. Close it when its modules have ended.
// Safe for concurrent use.
type Runtime struct {
	opts    Options
	limits  Limits
	log     *slog.Logger
	cache   wazero.CompilationCache
	trusted wazero.Runtime // guests cannot be stopped between imports: for our own
	guarded wazero.Runtime // stops a loop when its time is out
	ours    lane
	local   lane // of modules that are not ours: they never hold ours up
	spares  spares

	used func() (time.Duration, bool) // processTime, but in tests

	compiling chan struct{} // places for modules that are not ours

	background sync.WaitGroup // runs whose LLM requests have not ended
	ctx        context.Context
	cancel     context.CancelCauseFunc
	instance   wazero.ModuleConfig
}

// lane is where the guests of some modules queue.
type lane struct {
	slots  chan struct{} // of runs: how many guests are in memory
	turns  chan struct{} // of guests that compute: no more than processors
	parked chan struct{} // of runs in memory without a slot that wait for other runs
}

// oursParked times its slots is how many runs of the lane of our modules may be
// parked. They are small; of other modules as many may be as there are slots, since
// each may have all the memory that a guest gets.
const oursParked = 4

func newLane(slots, turns, parked int) lane {
	return lane{make(chan struct{}, slots), make(chan struct{}, turns), make(chan struct{}, parked)}
}

// drain waits for all runs to end and lets no other begin. Those that are parked
// need a slot to end.
func (l lane) drain(ctx context.Context) error {
	for _, places := range []chan struct{}{l.parked, l.slots} {
		for range cap(places) {
			select {
			case places <- struct{}{}: // never given back
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// Open makes a Runtime.
func Open(ctx context.Context, opts Options) (*Runtime, error) {
	r := &Runtime{opts: opts, limits: opts.Limits.withDefaults(), log: opts.Log, used: processTime}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if opts.CacheDir == "" {
		r.cache = wazero.NewCompilationCache()
	} else {
		cache, err := wazero.NewCompilationCacheWithDir(opts.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("compiled code: %w", err)
		}
		r.cache = cache
		if err := pruneCompiled(opts.CacheDir, codeBytes, codeBytesLeft); err != nil {
			r.log.Warn("old compiled code cannot be removed", "err", err)
		}
	}
	processors := runtime.GOMAXPROCS(0)
	r.ours = newLane(r.limits.Guests, processors, oursParked*r.limits.Guests)
	r.local = newLane(r.limits.Guests, max(1, processors-1), r.limits.Guests)
	r.compiling = make(chan struct{}, 2)
	r.ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	r.instance = newModuleConfig().WithName("").WithStartFunctions()
	var err error
	if r.trusted, err = r.engine(ctx, false); err == nil {
		r.guarded, err = r.engine(ctx, true)
	}
	if err != nil {
		r.Close(ctx)
		return nil, err
	}
	return r, nil
}

// Features that a guest may use: core WebAssembly 2.0.
const features = api.CoreFeaturesV2

// engine makes one of the two. The limit of memory is not among its settings:
// the allocator of each run holds it, and so can tell that a growth was refused.
func (r *Runtime) engine(ctx context.Context, stoppable bool) (wazero.Runtime, error) {
	e := wazero.NewRuntimeWithConfig(ctx, r.engineConfig(stoppable))
	if err := instantiateImports(ctx, e); err != nil {
		e.Close(ctx)
		return nil, err
	}
	return e, nil
}

func (r *Runtime) engineConfig(stoppable bool) wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().
		WithCoreFeatures(features).
		WithCompilationCache(r.cache).
		WithDebugInfoEnabled(false).
		WithCloseOnContextDone(stoppable)
}

// newModuleConfig is that of an instance with nothing of this host.
func newModuleConfig() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithRandSource(noRandom{})
}

// noRandom stands for the random numbers of the engine, which no guest reads: the
// host's WASI has its own. The engine would seed 600 of them for each instance.
type noRandom struct{}

// Read implements io.Reader.
func (noRandom) Read([]byte) (int, error) { return 0, io.EOF }

// errClosing ends runs and refuses new ones.
var errClosing = fault.New(abi.ErrUnavailable, "the runtime is closing")

// Close ends the Runtime: guests are asked to end and waited for, so are their
// background requests. It can be called twice.
//
// Errors: the cause of ctx if it ended first; the engines then stay open, since
// a guest of our own may still run in them.
func (r *Runtime) Close(ctx context.Context) error {
	if r.ctx.Err() != nil {
		return nil
	}
	r.cancel(errClosing)
	for _, l := range []lane{r.ours, r.local} {
		if err := l.drain(ctx); err != nil {
			return err
		}
	}
	r.background.Wait()
	var first error
	for _, e := range []wazero.Runtime{r.trusted, r.guarded} {
		if e == nil {
			continue
		}
		if err := e.Close(ctx); err != nil && first == nil {
			first = err
		}
	}
	if err := r.cache.Close(ctx); err != nil && first == nil {
		first = err
	}
	return first
}

// LLMIdentity says which LLM answers in a project: part of the cache key of a
// role that may use it. Empty if there is none.
func (r *Runtime) LLMIdentity(project string) string {
	if r.opts.LLM == nil {
		return ""
	}
	return r.opts.LLM.Identity(project)
}
