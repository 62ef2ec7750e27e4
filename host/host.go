package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/llm"
	"github.com/mcpctl/mcpctl/host/metrics"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxy/view"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/transform"
	"github.com/mcpctl/mcpctl/host/upstream"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Options of Open. Home is required.
type Options struct {
	Home     homedir.Dir
	Version  string
	Log      *slog.Logger // default: nothing is logged
	LLM      wasm.LLM     // default: that of the home's settings
	Settings Settings
	Reloaded func() // called after the files of the home were read again; default: nothing

	StageLevels *guestlog.Levels // of the lines that stages and controllers log; default: none are logged

	// Offline opens the home beside a daemon, or without one: nothing is cached,
	// originals are in memory, no server is started.
	Offline bool
}

// Host is one home, open. Safe for concurrent use.
type Host struct {
	opts Options
	log  *slog.Logger

	store       *store.Store
	runtime     *wasm.Runtime
	modules     *registry.Registry[loadedModule]
	cache       *cache.Cache // nil offline
	contents    *content.Store
	pipe        *pipeline.Pipeline
	transformer *transform.Transformer
	events      *event.Ring
	meter       metrics.Meter
	pool        *pool.Pool
	chains      *controller.Chains
	endpoint    *proxy.Endpoint
	settings    section.Settings
	failures    *failure.Log
	guestLog    *guestlog.Log
	prompts     *prompt.Library
	llm         *llm.Layer

	state        atomic.Pointer[state]
	reloading    sync.Mutex
	validWritten []byte        // by keepValid
	serverMark   string        // identifies the processes of servers
	settled      atomic.Bool   // all modules were loaded for the first time
	loaded       chan struct{} // closed once the state with them is in force

	life context.Context // ends at Close
	end  context.CancelFunc
	work sync.WaitGroup
	once sync.Once
}

// Open opens a home, making it if need be, and starts to watch it.
//
// It returns before the modules are compiled: what needs one waits for it.
// Errors: abi.ErrDenied for a home that others could write, abi.ErrConflict if
// its cache is open in another process.
func Open(ctx context.Context, opts Options) (*Host, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Reloaded == nil {
		opts.Reloaded = func() {}
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	h := &Host{opts: opts, log: opts.Log, life: life, end: end, loaded: make(chan struct{}), settings: opts.Settings.reading()}
	h.failures = failure.NewLog(opts.Log, h.newSecretCleaner)
	h.guestLog = guestlog.New(opts.Log, opts.StageLevels, h.newSecretCleaner)
	if err := h.open(ctx); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// open opens the parts, each after those it needs.
func (h *Host) open(ctx context.Context) (err error) {
	home := h.opts.Home
	if err = store.Prepare(string(home)); err != nil {
		return err
	}
	if err = home.Create(); err != nil {
		return err
	}
	if h.store, err = store.Open(string(home)); err != nil {
		return err
	}
	if err = h.openStores(); err != nil {
		return err
	}
	h.openLLM()
	h.runtime, err = wasm.Open(ctx, wasm.Options{CacheDir: home.WasmCache(), Limits: h.opts.Settings.guests(), KV: h.kv(), LLM: h.opts.LLM, Log: h.log})
	if err != nil {
		return err
	}
	h.modules, err = registry.Open(h.life, registry.Options[loadedModule]{
		Home: string(home), Builtins: builtins,
		Loader: loader{h.runtime}, Log: h.log,
	})
	if err != nil {
		return err
	}
	h.pipe = pipeline.New(pipeline.Options{Cache: h.results(), Limits: h.opts.Settings.calls()})
	h.events = event.New(event.Options{})
	if !h.opts.Offline { // the cache is open, so no other process uses this home
		if h.serverMark, err = upstream.EndOrphans(home.ServerMark()); err != nil {
			h.log.Warn("processes that earlier servers left running will not be ended", "error", err)
		}
	}
	h.pool = pool.New(h.life, pool.Options{Version: h.opts.Version, Log: h.log, FrameBytes: h.opts.Settings.FrameBytes, Mark: h.serverMark,
		Secret: h.secret, Server: h.server, Opened: h.opened})
	h.transformer = transform.New(transform.Parts{Plan: plans{h}, Modules: stages{h.modules}, Pipeline: h.pipe, Contents: h.contents, Cache: h.cache,
		Events: h.events, Failures: h.failures, GuestLog: h.guestLog, Sections: h.settings, Log: h.log})
	h.openPrompts()
	h.openControllers()
	h.reload()
	h.endpoint = proxy.Open(proxy.Parts{Projects: h, Upstreams: h.pool, Transformer: h.transformer, Reader: h.transformer, Events: h, Controllers: controllers{h}, Library: prompt.Resources{Library: h.prompts, URIPrefix: proxy.LibraryPrefix}, Known: h.openKnownLists()},
		proxy.Options{Version: h.opts.Version, MaxBody: h.opts.Settings.FrameBytes, Log: h.log,
			ListWait: h.opts.Settings.ListWait, AbandonedAfter: h.opts.Settings.AbandonedAfter, ReleaseAfter: h.opts.Settings.ReleaseAfter, IdleAfter: h.opts.Settings.IdleAfter})
	h.work.Go(h.load)
	h.work.Go(h.watch)
	h.work.Go(h.transformer.KeepUpdates)
	if !h.opts.Offline {
		h.work.Go(func() { h.prompts.Run(h.life) })
	}
	return nil
}

// openStores opens what is kept on disk. Offline nothing of the home is touched.
func (h *Host) openStores() (err error) {
	key, err := h.opts.Home.RefKey()
	if err != nil {
		return err
	}
	opts := h.opts.Settings.originals()
	if h.opts.Offline {
		h.contents, err = content.OpenVolatile(key, opts)
		return err
	}
	if h.cache, err = h.openCache(); err != nil {
		return err
	}
	h.contents, err = content.Open(h.opts.Home.Originals(), key, opts)
	return err
}

func (h *Host) openCache() (*cache.Cache, error) {
	opts := h.opts.Settings.cache()
	opts.Log = h.log
	return cache.Open(h.opts.Home.CacheDB(), opts)
}

// Close ends sessions, servers and guests, and waits for them. It can be called
// twice.
func (h *Host) Close() error {
	var errs []error
	h.once.Do(func() {
		if h.endpoint != nil {
			h.endpoint.Close()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if h.chains != nil {
			h.chains.Close(ctx)
		}
		h.end()
		if h.prompts != nil {
			errs = append(errs, h.prompts.Close())
		}
		if h.pipe != nil {
			h.pipe.Close()
		}
		if h.modules != nil {
			errs = append(errs, h.modules.Close(ctx))
		}
		h.work.Wait()
		if h.runtime != nil {
			errs = append(errs, h.runtime.Close(ctx))
		}
		if h.llm != nil {
			errs = append(errs, h.llm.Close())
		}
		if h.contents != nil {
			errs = append(errs, h.contents.Close())
		}
		if h.cache != nil {
			errs = append(errs, h.cache.Close())
		}
		if h.store != nil {
			errs = append(errs, h.store.Close())
		}
	})
	return errors.Join(errs...)
}

// Endpoint is what MCP clients talk to: /projects/{project}/mcp.
func (h *Host) Endpoint() http.Handler { return h.endpoint }

// ClientDirHeader is the header of a client's working directory; see proxy.
const ClientDirHeader = proxy.ClientDirHeader

// Guard refuses requests that a web page could have made a browser send; it
// belongs in front of everything that listens on TCP.
func Guard(next http.Handler) http.Handler { return proxy.Guard(next) }

// Drain ends what would keep connections open: sessions and event streams.
// Calls that run may end first, until ctx does.
func (h *Host) Drain(ctx context.Context) {
	h.endpoint.Drain(ctx)
	h.end()
}

// load waits for the first load of all modules, and makes the plan with them.
func (h *Host) load() {
	if err := h.modules.Rescan(h.life); err != nil {
		return // closed
	}
	h.settled.Store(true)
	h.reload()
	close(h.loaded)
}

// ready waits until all modules were loaded for the first time.
//
// Errors: abi.ErrUnavailable once the Host is closed; that of ctx.
func (h *Host) ready(ctx context.Context) error {
	select {
	case <-h.loaded:
		return nil
	case <-h.life.Done():
		return fmt.Errorf("%w: the host is closed", abi.ErrUnavailable)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch reloads what changes on disk, until Close.
func (h *Host) watch() {
	for c := range h.modules.Changes() {
		before := h.state.Load()
		h.reload()
		h.endpoint.Refresh("")
		h.note(c, before, h.state.Load())
	}
}

// note tells about a reload.
func (h *Host) note(c registry.Change, before, after *state) {
	e := event.Event{Type: event.ConfigReloaded, Change: &event.Change{Name: c.Folder, From: before.revision(), To: after.revision()}}
	if c.Folder == "stages" {
		e.Type = event.StageReloaded
		e.Change.From, e.Change.To = before.stages, after.stages
	}
	if e.Change.From != e.Change.To {
		h.events.Add(e)
	}
}

var _ view.Transformer = (*transform.Transformer)(nil)
var _ proxy.Reader = (*transform.Transformer)(nil)
var _ view.Repeater = (*transform.Transformer)(nil)
var _ proxy.Projects = (*Host)(nil)
var _ proxy.Events = (*Host)(nil)
