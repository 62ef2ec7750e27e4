package registry

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Loader makes a module of a file's bytes.
type Loader[M Module] interface {
	// Load may take seconds. The name is that of the file without ".wasm";
	// errors begin with `module "name": `.
	Load(ctx context.Context, name string, file []byte, trusted bool) (M, error)
}

// Module is what a Loader makes.
type Module interface {
	Hash() string // SHA-256 of the file, hexadecimal: the module's id everywhere
	Manifest() abi.Manifest
	Close(ctx context.Context) error // called once, when no call uses it any more
}

// Builtin is a module that comes with the program.
type Builtin struct {
	Name string
	File []byte
}

// Options of Open.
type Options[M Module] struct {
	Home     string // folder that holds stages/, servers/ and so on; it must exist
	Builtins []Builtin
	Loader   Loader[M]
	Wait     time.Duration // how long Acquire waits for a module that compiles; default 10 s
	Log      *slog.Logger  // default: nothing is logged

	source source // tests: events without a file system
}

const defaultWait = 10 * time.Second

// Registry maps roles to modules. Safe for concurrent use.
type Registry[M Module] struct {
	home     string
	stages   string
	loader   Loader[M]
	wait     time.Duration
	log      *slog.Logger
	life     context.Context // ends at Close
	end      context.CancelFunc
	routines sync.WaitGroup
	notices  *notices
	watch    *watcher[M]
	scanning sync.Mutex // one scan of stages/ at a time

	mu      sync.Mutex // guards what follows; never held across I/O or a load
	slots   map[string]*slot[M]
	roles   map[string]provider[M]
	refused map[refusal[M]]error     // local roles that must not serve
	live    map[*version[M]]struct{} // not yet closed
	settled bool                     // the first loads have ended
	changed chan struct{}            // closed, and replaced, with every change
	closed  bool
}

// Open starts to load and to watch, and returns at once. The caller closes the
// Registry and reads Changes.
//
// Errors: the home cannot be read.
func Open[M Module](ctx context.Context, o Options[M]) (*Registry[M], error) {
	home, err := filepath.Abs(o.Home)
	if err != nil {
		return nil, err
	}
	if o.Wait <= 0 {
		o.Wait = defaultWait
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	r := &Registry[M]{
		home: home, stages: filepath.Join(home, folderStages),
		loader: o.Loader, wait: o.Wait, log: o.Log, life: life, end: end,
		notices: newNotices(),
		slots:   make(map[string]*slot[M]),
		roles:   make(map[string]provider[M]),
		refused: make(map[refusal[M]]error),
		live:    make(map[*version[M]]struct{}),
		changed: make(chan struct{}),
	}
	if r.watch, err = newWatcher(r, o.source); err != nil {
		end()
		return nil, err
	}
	r.routines.Go(func() { r.notices.deliver(life) })
	r.routines.Go(r.watch.loop)
	for _, b := range o.Builtins {
		r.offer(b.Name, "", b.File)
	}
	r.routines.Go(r.start)
	return r, nil
}

// start waits for the built-in modules, then loads what lies in stages/. Calls
// wait for that, but not longer than for any module.
func (r *Registry[M]) start() {
	ctx, cancel := context.WithTimeout(r.life, r.wait)
	defer cancel()
	_ = r.idle(ctx)
	r.scan(r.life)
	_ = r.idle(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settled = true
	r.broadcast()
}

// Close stops watching and loading, waits until no call uses a module, at most
// as long as ctx allows, and closes them all. A second call does nothing.
func (r *Registry[M]) Close(ctx context.Context) error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	r.broadcast()
	r.mu.Unlock()
	r.end()
	err := r.watch.close()
	r.drain(ctx)

	r.mu.Lock()
	inUse := slices.Collect(maps.Keys(r.live)) // though ctx has ended
	clear(r.live)
	r.mu.Unlock()
	r.routines.Wait()
	for _, v := range inUse {
		err = errors.Join(err, v.module.Close(ctx))
	}
	return err
}

// drain takes every version out of service and waits for calls to end.
func (r *Registry[M]) drain(ctx context.Context) {
	for {
		r.mu.Lock()
		for key, s := range r.slots {
			if !s.loading {
				r.drop(key, s)
			}
		}
		n, changed := len(r.live)+len(r.slots), r.changed
		r.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Rescan looks at every folder now and returns when all that lies on disk has
// been loaded, or has failed to. A version that gave way is tried again.
//
// Errors: that of ctx. What is wrong with a file stands in Status.
func (r *Registry[M]) Rescan(ctx context.Context) error {
	r.watch.check(ctx, r.watch.all())
	r.forgive()
	r.scan(ctx)
	return r.idle(ctx)
}

// idle waits until nothing is being loaded.
func (r *Registry[M]) idle(ctx context.Context) error {
	for {
		r.mu.Lock()
		busy, changed := r.loading(), r.changed
		r.mu.Unlock()
		if len(busy) == 0 {
			return ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// loading are the files that are being loaded. The caller holds the lock.
func (r *Registry[M]) loading() (files []string) {
	for _, s := range r.slots {
		if s.loading {
			files = append(files, s.label())
		}
	}
	return files
}

// broadcast wakes all who wait for a change. The caller holds the lock.
func (r *Registry[M]) broadcast() {
	close(r.changed)
	r.changed = make(chan struct{})
}
