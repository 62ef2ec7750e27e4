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

// Loader compiles modules.
type Loader[M Module] interface {
	// Load may take seconds. Errors begin with `module "name": `.
	Load(ctx context.Context, s Source) (M, error)
}

// Source describes a module to load.
type Source struct {
	Name     string // of the file, without ".wasm"
	File     File
	Trusted  bool        // it is a built-in module
	IsUrgent func() bool // reports whether a call waits for it: of the modules that wait for the compiler it is the next
}

// Module is a compiled module, returned by a Loader.
type Module interface {
	Hash() string // hexadecimal SHA-256 of the file; identifies the module everywhere
	Manifest() abi.Manifest
	Close(ctx context.Context) error // called once, after the last call that uses it
}

// Builtin is a module that is part of the program.
type Builtin struct {
	Name string
	File []byte
}

// Options are the settings of Open.
type Options[M Module] struct {
	Home     string // directory that contains stages/, servers/ etc.; must exist
	Builtins []Builtin
	Loader   Loader[M]
	Wait     time.Duration                                  // maximum time that Acquire waits for compilation; default 10 s
	Admit    func() func(name string, f File) error         // reads which files in stages/ are not loaded, and why; nil: all are loaded
	Approved func() func(name, hash string) bool            // reads which files in stages/ the user has approved; nil: none are
	Roles    func(name string, f File, loads bool) []string // returns the roles that a file in stages/ can have, which Acquire does not wait for otherwise; nil: unknown, which suffices for a file that loads at once
	Index    string                                         // file for the hashes of unchanged files; empty: none
	Lazy     bool                                           // load nothing before the first Acquire or Rescan
	Log      *slog.Logger                                   // default: discard

	source source // set by tests to replace fsnotify
}

const defaultWait = 10 * time.Second

// Registry maps roles to modules. It is safe for concurrent use.
type Registry[M Module] struct {
	home      string
	stages    string
	loader    Loader[M]
	admission func() (admit func(name string, f File) error)
	claims    func(name string, f File, loads bool) []string
	approvals func() (isApproved func(name, hash string) bool)
	begin     func() // starts to load the modules, once
	builtins  func() // offers the built-in modules
	wait      time.Duration
	log       *slog.Logger
	life      context.Context // cancelled by Close
	end       context.CancelFunc
	routines  sync.WaitGroup
	notices   *notices
	watch     *watcher[M]
	scanning  sync.Mutex // one scan of stages/ at a time
	index     *index     // used by the scan
	demand    *demand

	mu      sync.Mutex // guards the fields below; not held during I/O or a load
	slots   map[string]*slot[M]
	roles   map[string]provider[M]
	refused map[refusal[M]]error     // local roles that do not serve
	live    map[*version[M]]struct{} // versions that are not closed
	scanned bool                     // all files have been offered
	settled bool                     // the initial loads have finished
	changed chan struct{}            // closed and replaced at every change
	closed  bool
}

// Open starts loading, unless Options.Lazy, and watching in the background and returns
// immediately.
// The caller must read Changes and call Close.
//
// It returns an error if the home cannot be read.
func Open[M Module](ctx context.Context, o Options[M]) (*Registry[M], error) {
	home, err := filepath.Abs(o.Home)
	if err != nil {
		return nil, err
	}
	if o.Wait <= 0 {
		o.Wait = defaultWait
	}
	if o.Admit == nil {
		o.Admit = func() func(string, File) error { return func(string, File) error { return nil } }
	}
	if o.Approved == nil {
		o.Approved = func() func(name, hash string) bool { return func(_, _ string) bool { return false } }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	r := &Registry[M]{
		home: home, stages: filepath.Join(home, stagesDir),
		loader: o.Loader, admission: o.Admit, claims: o.Roles, approvals: o.Approved, wait: o.Wait, log: o.Log, life: life, end: end,
		notices: newNotices(), index: openIndex(o.Index, o.Log), demand: newDemand(),
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
	files := sync.OnceValue(func() (files []File) { // takes the hashes, which a lazy registry may not need
		for _, b := range o.Builtins {
			files = append(files, NewFile(b.File))
		}
		return files
	})
	r.builtins = func() {
		for i, f := range files() {
			r.offer(o.Builtins[i].Name, "", f)
		}
	}
	r.begin = sync.OnceFunc(func() {
		r.builtins()
		r.routines.Go(r.start)
	})
	if !o.Lazy {
		r.begin()
	}
	return r, nil
}

// start waits for the built-in modules, then loads the files in stages/. Acquire
// waits, at most Options.Wait, until every file that can have the role is loaded.
func (r *Registry[M]) start() {
	ctx, cancel := context.WithTimeout(r.life, r.wait)
	defer cancel()
	_ = r.waitFor(ctx, (*slot[M]).isBuiltin)
	r.scan(r.life)
	r.update(func() { r.scanned = true })
	_ = r.waitFor(ctx, nil)
	r.update(func() { r.settled = true })
}

// update changes fields and wakes every goroutine that waits for a change.
func (r *Registry[M]) update(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.broadcast()
}

// Close stops watching and loading, waits until no call uses a module or ctx is
// done, and closes all modules. A second call does nothing.
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
	inUse := slices.Collect(maps.Keys(r.live)) // not empty only if ctx is done
	clear(r.live)
	r.mu.Unlock()
	r.routines.Wait()
	for _, v := range inUse {
		err = errors.Join(err, v.module.Close(ctx))
	}
	return err
}

// drain removes every slot and waits until all versions are closed or ctx is done.
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

// Rescan checks every directory, offers the built-in modules again, and returns when all loads
// have finished. A version that was rolled back is loaded again.
//
// It returns only the error of ctx; Status reports the errors of files.
func (r *Registry[M]) Rescan(ctx context.Context) error {
	r.begin()
	r.watch.check(ctx, r.watch.allDirs())
	r.clearRollbacks()
	r.builtins()
	r.scan(ctx)
	return r.waitFor(ctx, nil)
}

// WaitForBuiltins waits until the built-in modules have been loaded.
//
// Errors: that of ctx.
func (r *Registry[M]) WaitForBuiltins(ctx context.Context) error {
	r.begin()
	return r.waitFor(ctx, (*slot[M]).isBuiltin)
}

// waitFor waits until no load of some slots is in progress, or of any if some is nil.
func (r *Registry[M]) waitFor(ctx context.Context, some func(*slot[M]) bool) error {
	for {
		r.mu.Lock()
		busy, changed := anyLoading(r.slots, some), r.changed
		r.mu.Unlock()
		if !busy {
			return ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// broadcast wakes every goroutine that waits for a change. The caller holds mu.
func (r *Registry[M]) broadcast() {
	close(r.changed)
	r.changed = make(chan struct{})
}
