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
	"github.com/mcpctl/mcpctl/host/wasm/imports"
)

// Interfaces of the host that guests use. See package imports.
type (
	KV        = imports.KV
	LLM       = imports.LLM
	Namespace = imports.Namespace
)

// Options configures a Runtime. The zero value works: compiled code is not kept, there
// is no cache for guests and no LLM, the limits are those of the ABI, and nothing is
// logged.
type Options struct {
	// CacheDir keeps compiled code across starts. Its content is executed, so it must be
	// writable by the user alone. Empty: memory only.
	CacheDir string
	Limits   Limits
	KV       KV           // cache_get and cache_set; nil: they answer UNAVAILABLE
	LLM      LLM          // nil: none configured
	Log      *slog.Logger // nil: nothing is logged

	// SideBySide compiles every module with all processors, not only trusted ones. A
	// fault of the compiler then ends the process. It is for programs of an author, who
	// waits for one module.
	SideBySide bool

	// Deferred compiles a module at its first call instead of in Load, which then reports
	// only the errors that Inspect finds. It is for programs that call few modules or none.
	Deferred bool

	// Compiler is a program and its first arguments that compiles modules that are not
	// trusted: with CacheDir and a kind as further arguments, it calls CompileInto. Empty,
	// or without CacheDir: they are compiled in this process.
	Compiler []string

	// Worker is a program and its first arguments that runs the guests of one module that
	// is not trusted: it calls ServeGuests. Empty, or without Compiler and CacheDir: they
	// run in this process.
	Worker []string

	// Reread reads the file of a module again, if its code in the cache is missing or
	// damaged. nil: such a module fails until it is loaded again.
	Reread func(name string) ([]byte, error)

	// Marks records which modules that are not trusted are being compiled or started. A
	// module that an earlier process did not survive is refused. nil: none is refused.
	Marks Marks
}

// Marks is implemented by loadmark.Marks.
type Marks interface {
	// Left reports whether a process ended while it loaded the module with a hash.
	Left(hash string) bool
	// Begin marks a module until end is called.
	Begin(hash string) (end func())
}

// Limits are the limits of the settings. Zero fields have the default of the ABI. The
// limits that a guest can read are in the Context of each Call.
type Limits struct {
	Memory  int           // bytes of one guest; default 64 MiB
	Time    time.Duration // processor time of one run; default 2 s
	Compile time.Duration // wall time of one compilation; default 60 s
	Guests  int           // concurrent runs of trusted modules, and of others; default 16. Hooks that wait for other runs do not count
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

// Runtime loads modules. Close it after its modules have ended.
// Safe for concurrent use.
type Runtime struct {
	opts     Options
	limits   Limits
	log      *slog.Logger
	services imports.Services

	cache        wazero.CompilationCache
	engine       wazero.Runtime // guests are stopped in imports; those that are not trusted call fuel.Yield
	extism       wazero.Runtime // compiles modules for Extism's SDK, which has its own engines
	config       wazero.ModuleConfig
	compileSlots *compileSlots // of modules that are not trusted
	startSlots   chan struct{} // of modules that are not trusted and are started by Load
	scanSlots    chan struct{} // of modules that are not trusted and are read and scanned
	builtinQueue *queue        // of trusted modules
	localQueue   *queue        // of others, which never delay trusted ones
	memories     memoryPool
	processes    processes
	usage        usage  // its field read is replaced in tests
	overrun      func() // called if a guest does not stop in time; may be nil
	noMappings   bool   // guests are restored as on systems without mappings; set in tests

	mu       sync.Mutex
	deferred []*Module // trusted ones that Warm has not loaded
	warm     bool      // Warm was called

	background sync.WaitGroup // deferred modules and guests that are prepared, and LLM requests that have not ended
	ctx        context.Context
	cancel     context.CancelCauseFunc
}

// builtinSuspended times its slots is the limit of suspended runs of trusted modules,
// whose guests are small. For other modules it is the number of slots, because each
// guest may have the full memory.
const builtinSuspended = 4

// localCompilations is the limit of concurrent compilations of modules that are not
// trusted.
const localCompilations = 2

// localStarts is the limit of modules that Load starts at the same time. A home may have
// hundreds, and each guest may take all memory that it is allowed.
const localStarts = 4

// localScans is the limit of files that are read and scanned at the same time.
const localScans = 2

// Open returns a new Runtime. It removes old compiled code if there is too much, and code
// that other users could have written.
//
// Errors: abi.ErrDenied for an Options.CacheDir of another user.
func Open(ctx context.Context, opts Options) (*Runtime, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.CacheDir != "" {
		if err := newCodeCheck(opts.Log).secure(opts.CacheDir); err != nil {
			return nil, fmt.Errorf("compiled code: %w", err)
		}
	}
	r, err := open(ctx, opts)
	if err == nil && opts.CacheDir != "" {
		if err := pruneCodeCache(opts.CacheDir, maxCodeCache, prunedCodeCache); err != nil {
			r.log.Warn("old compiled code cannot be removed", "err", err)
		}
	}
	return r, err
}

func open(ctx context.Context, opts Options) (*Runtime, error) {
	r := &Runtime{opts: opts, limits: opts.Limits.withDefaults(), log: opts.Log, usage: usage{read: processTime}}
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
	}
	processors := runtime.GOMAXPROCS(0)
	r.builtinQueue = newQueue(r.limits.Guests, r.limits.Guests, processors, builtinSuspended*r.limits.Guests)
	localTurns := max(1, processors-1)
	if r.usesProcesses() { // the system divides the processors among them
		localTurns = r.limits.Guests
	}
	r.localQueue = newQueue(r.limits.Guests, max(1, r.limits.Guests/2), localTurns, r.limits.Guests)
	r.compileSlots = newCompileSlots(localCompilations)
	r.startSlots = make(chan struct{}, localStarts)
	r.scanSlots = make(chan struct{}, localScans)
	r.ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	r.services = imports.Services{KV: opts.KV, LLM: opts.LLM, Context: r.ctx, Background: &r.background}
	r.config = newModuleConfig().WithName("").WithStartFunctions()
	var err error
	if r.engine, err = r.newEngine(ctx); err != nil {
		r.Close(ctx)
		return nil, err
	}
	r.extism = wazero.NewRuntimeWithConfig(ctx, r.extismConfig())
	return r, nil
}

// features that a guest may use: core WebAssembly 2.0.
const features = api.CoreFeaturesV2

// newEngine returns an engine with all imports. The limit of memory is not among its
// settings: the allocator of each run enforces it and records a refused growth.
func (r *Runtime) newEngine(ctx context.Context) (wazero.Runtime, error) {
	e := wazero.NewRuntimeWithConfig(ctx, r.engineConfig())
	if err := instantiateImports(ctx, e); err != nil {
		e.Close(ctx)
		return nil, err
	}
	return e, nil
}

func (r *Runtime) engineConfig() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().
		WithCoreFeatures(features).
		WithCompilationCache(r.cache).
		WithDebugInfoEnabled(false)
}

// extismConfig is the configuration of the engines of Extism's SDK. They also run Extism's
// kernel, which has no counters and searches lists that a guest can turn into a cycle. So
// they check at each iteration of a loop whether the call is over.
func (r *Runtime) extismConfig() wazero.RuntimeConfig {
	return r.engineConfig().WithCloseOnContextDone(true)
}

// newModuleConfig returns the configuration of an instance without access to the host.
func newModuleConfig() wazero.ModuleConfig {
	return wazero.NewModuleConfig().WithRandSource(noRandom{})
}

// noRandom replaces the engine's source of random numbers, which no guest reads: the
// host's WASI has its own. The engine would read 600 bytes of it for each instance.
type noRandom struct{}

// Read implements io.Reader.
func (noRandom) Read([]byte) (int, error) { return 0, io.EOF }

// spawn runs f in a goroutine that Close waits for. It returns false if Close was called.
func (r *Runtime) spawn(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return false
	}
	r.background.Go(f)
	return true
}

// closeWait is how long Close waits for compilations that were given up, which nothing can end.
const closeWait = time.Second

// Close ends the Runtime: it asks guests to end and waits for them and for their
// requests in the background. It can be called twice.
//
// Errors: the cause of ctx if it ended first. The engines then stay open, because a
// trusted guest may still run.
func (r *Runtime) Close(ctx context.Context) error {
	if r.ctx.Err() != nil {
		return nil
	}
	r.mu.Lock()
	r.cancel(errClosing) // spawn starts nothing after this
	r.mu.Unlock()
	for _, q := range []*queue{r.builtinQueue, r.localQueue} {
		if err := q.drain(ctx); err != nil {
			return err
		}
	}
	r.processes.close()
	r.background.Wait()
	if !r.compileSlots.awaitIdle(ctx, closeWait) {
		return nil // the engines stay open: a compilation that was given up still uses them
	}
	var first error
	for _, e := range []wazero.Runtime{r.engine, r.extism} {
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

// LLMIdentity returns the identity of a project's LLM, which is part of the cache key of
// a role that may use it. It is empty if there is none.
func (r *Runtime) LLMIdentity(project string) string {
	if r.opts.LLM == nil {
		return ""
	}
	return r.opts.LLM.Identity(project)
}
