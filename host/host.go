package host

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/correction"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/guestlog"
	"github.com/mcpctl/mcpctl/host/hold"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/live"
	"github.com/mcpctl/mcpctl/host/llm"
	"github.com/mcpctl/mcpctl/host/loadmark"
	"github.com/mcpctl/mcpctl/host/metrics"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/prompt"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxy/view"
	"github.com/mcpctl/mcpctl/host/recording"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/sharedcache"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/team"
	"github.com/mcpctl/mcpctl/host/transform"
	"github.com/mcpctl/mcpctl/host/upstream"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Options of Open. Home is required.
type Options struct {
	Home     homedir.Dir
	Version  string
	Log      *slog.Logger // default: nothing is logged
	LLM      wasm.LLM     // default: the one of the home's settings
	Settings Settings
	Reloaded func() // called after the files of the home were reloaded; may be nil

	// Team returns the address of the team server and how it is reached, from the settings of
	// the home. The login is added from secrets.yaml. Default: there is none.
	Team func() (team.Settings, error)

	// Upstreams connects sessions to servers in place of the programs and addresses of the
	// home, for a replay. Default: nil.
	Upstreams proxy.Upstreams

	Events *event.Ring // gets the events; default: a new one

	StageLevels *guestlog.Levels // of log lines of stages and controllers; default: nothing is logged

	// Offline opens the home without a daemon: results are not cached, originals
	// are in memory, and no server is started.
	Offline bool

	// Compiler is a program that compiles modules: see wasm.Options. Default: they are
	// compiled in this process.
	Compiler []string

	// Worker is a program that runs the guests of local modules: see wasm.Options. Default:
	// they run in this process.
	Worker []string

	// Lazy loads modules at the first call that waits for them, instead of in Open: a
	// command that only reads objects needs none. Sessions do not wait, so a Host with
	// sessions must not be lazy.
	Lazy bool
}

// Host is an open home. It is safe for concurrent use.
type Host struct {
	opts Options
	log  *slog.Logger

	store       *store.Store
	config      *live.Config
	marks       *loadmark.Marks // nil offline
	runtime     *wasm.Runtime
	modules     *registry.Registry[loadedModule]
	cache       *cache.Cache // nil offline
	contents    *content.Store
	pipe        *pipeline.Pipeline
	transformer *transform.Transformer
	events      *event.Ring
	watchers    watchers
	holds       *hold.Holds
	corrections *correction.Store
	meter       metrics.Meter
	pool        *pool.Pool
	pins        toolPins
	chains      *controller.Chains
	endpoint    *proxy.Endpoint
	settings    section.Settings
	failures    *failure.Log
	guestLog    *guestlog.Log
	prompts     *prompt.Library
	recorder    *recording.Recorder // nil offline
	team        *TeamLink
	shared      *sharedcache.Cache
	llm         *llm.Layer

	serverMark string // identifies the processes of servers

	life context.Context // ends at Close
	end  context.CancelFunc
	work sync.WaitGroup
	once sync.Once
}

// Open opens a home and watches it. It creates the home if there is none.
//
// It returns before the modules are compiled. Methods that need a module wait for it.
// Errors: abi.ErrDenied for a home that other users could write, abi.ErrConflict if
// its cache is open in another process.
func Open(ctx context.Context, opts Options) (*Host, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	h := &Host{opts: opts, log: opts.Log, life: life, end: end, settings: opts.Settings.reading()}
	h.failures = failure.NewLog(opts.Log, h.newSecretCleaner)
	h.guestLog = guestlog.New(opts.Log, opts.StageLevels, h.newSecretCleaner)
	if err := h.open(ctx); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// open opens the parts, each after the parts that it needs.
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
	guests := wasm.Options{CacheDir: home.WasmCache(), Limits: h.opts.Settings.guests(), KV: newKV(h.cache), LLM: h.opts.LLM, Log: h.log, Deferred: h.opts.Lazy, Compiler: h.opts.Compiler, Worker: h.opts.Worker,
		Reread: func(name string) ([]byte, error) { return readStage(home, name) }}
	if !h.opts.Offline { // offline, another process may load modules of this home at the same time
		if h.marks, err = loadmark.Open(home.LoadMarks()); err != nil {
			return err
		}
		guests.Marks = h.marks
	}
	h.runtime, err = wasm.Open(ctx, guests)
	if err != nil {
		return err
	}
	approval := newApproval(home, h.opts.Settings.Dev, h.log)
	modules := newLoader(h.runtime)
	h.modules, err = registry.Open(h.life, registry.Options[loadedModule]{
		Home: string(home), Builtins: builtins,
		Loader: modules, Admit: approval.admission, Approved: approval.approved, Roles: modules.claimedRoles, Index: home.ModuleIndex(), Log: h.log, Lazy: h.opts.Lazy,
	})
	if err != nil {
		return err
	}
	if h.events = h.opts.Events; h.events == nil {
		h.events = event.New(event.Options{})
	}
	h.holds = hold.New(hold.Options{Watched: h.watchers.watch})
	h.corrections = correction.NewStore(home.Corrections())
	if !h.opts.Offline { // the cache is open, so no other process uses this home
		if h.serverMark, err = upstream.EndOrphans(home.ServerMark()); err != nil {
			h.log.Warn("cannot end the processes that earlier servers left running", "error", err)
		}
	}
	h.team = &TeamLink{home: home, settings: h.opts.Team, config: func() *live.Config { return h.config }, apply: func() {
		h.config.Reload()
		h.endpoint.Refresh("")
	}}
	h.team.open(team.Options{Cache: home.Team(), Log: h.log, Offline: h.opts.Offline})
	h.shared = newSharedCache(sharing{h.team, h.team.config}, h.newSecretCleaner, h.log)
	h.pipe = pipeline.New(pipeline.Options{Cache: newResultCache(h.cache), Shared: h.shared, CheckTree: checkTree, Limits: h.opts.Settings.calls()})
	reloaded := func() {
		h.team.configure()
		if h.opts.Reloaded != nil {
			h.opts.Reloaded()
		}
	}
	load := sync.OnceFunc(func() { h.work.Go(func() { h.config.LoadModules(h.life) }) })
	h.config = live.New(live.Options{Home: home, Offline: h.opts.Offline, Log: h.log, Store: h.store, Modules: h.modules, BuiltinRoles: builtinRoles(),
		LLM: h.llm, LLMIdentity: h.runtime.LLMIdentity, Events: h.events, Failures: h.failures, Limits: h.opts.Settings.calls(), Life: h.life, Load: load,
		Changed: func() { h.prompts.Update() }, Reloaded: reloaded, Team: h.team.set})
	h.pool = pool.New(h.life, pool.Options{Version: h.opts.Version, Log: h.log, FrameBytes: h.opts.Settings.FrameBytes, Mark: h.serverMark,
		Secret: h.config.Secret, Server: h.team.target, Opened: h.opened, StateChanged: eventLog{h}.addServerState})
	h.transformer = transform.New(transform.Parts{Plan: h.config, Modules: stages{h.modules}, Pipeline: h.pipe, Contents: h.contents, Cache: h.cache,
		Events: h.events, Failures: h.failures, GuestLog: h.guestLog, Sections: h.settings, Log: h.log, Cleaner: h.newSecretCleaner})
	h.openPrompts()
	h.openControllers()
	h.config.Reload()
	h.recorder = newRecorder(h)
	h.pins = toolPins{home: home, log: h.log, events: h.events, objects: h.Snapshot, isReplay: h.opts.Upstreams != nil}
	h.pins.open()
	h.endpoint = proxy.Open(proxy.Parts{Projects: h.config, Upstreams: upstreamsOf(h), Transformer: h.transformer, Reader: h.transformer, Events: eventLog{h}, Records: recordLog{h}, Reviewer: newReviewer(h), Controllers: controllers{h}, Library: prompt.Resources{Library: h.prompts, URIPrefix: proxy.LibraryPrefix}, Known: newKnownLists(h.opts), Pins: h.pins.Store},
		proxy.Options{Version: h.opts.Version, MaxBody: h.opts.Settings.FrameBytes, Log: h.log,
			ListWait: h.opts.Settings.ListWait, Rereads: proxy.Rereads(h.opts.Settings.Rereads), AbandonedAfter: h.opts.Settings.AbandonedAfter, ReleaseAfter: h.opts.Settings.ReleaseAfter, IdleAfter: h.opts.Settings.IdleAfter})
	if !h.opts.Lazy {
		load()
	}
	h.work.Go(h.watch)
	h.work.Go(h.transformer.KeepUpdates)
	if !h.opts.Offline {
		h.work.Go(func() { h.prompts.Run(h.life) })
		h.work.Go(func() { h.team.run(h.life) })
		h.work.Go(func() { h.shared.Run(h.life) })
	}
	return nil
}

// openStores opens the cache and the store of originals. Offline both are in memory or
// closed.
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

// Close ends sessions, servers and guests, and waits for them. It can be called twice.
func (h *Host) Close() error {
	var errs []error
	h.once.Do(func() {
		if h.holds != nil {
			h.holds.Close()
		}
		if h.endpoint != nil {
			h.endpoint.Close()
		}
		if h.recorder != nil {
			errs = append(errs, h.recorder.Close())
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

// Team returns the connection of a Host to the team server.
func Team(h *Host) *TeamLink { return h.team }

// Endpoint returns the handler of MCP clients: /projects/{project}/mcp.
func (h *Host) Endpoint() http.Handler { return h.endpoint }

// ClientDirHeader is the header of a client's working directory; see proxy.
const ClientDirHeader = proxy.ClientDirHeader

// Guard rejects requests that a web page could have made a browser send. Every handler on
// TCP needs it.
func Guard(next http.Handler) http.Handler { return proxy.Guard(next) }

// Drain ends sessions and event streams, which would keep connections open. It waits for
// running calls until ctx ends.
func (h *Host) Drain(ctx context.Context) {
	h.holds.Close() // held answers are running calls
	h.endpoint.Drain(ctx)
	h.end()
}

// watch reloads files that change on disk, until Close.
func (h *Host) watch() {
	for range h.modules.Changes() {
		h.config.Reload()
		h.endpoint.Refresh("")
	}
}

var _ proxy.Reader = (*transform.Transformer)(nil)
var _ view.Repeater = (*transform.Transformer)(nil)
var _ proxy.Events = eventLog{}
