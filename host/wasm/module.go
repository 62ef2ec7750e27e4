package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Module is one compiled .wasm file. Safe for concurrent use.
type Module struct {
	program
	name     string
	prepared *prepared
	isUrgent func() bool  // as Source.IsUrgent
	deferred func() error // compiles the module, see untilAvailable; nil: it is compiled
	remote   *remote      // nil: it runs in this process

	share  share // of the processors
	mu     sync.Mutex
	uses   int
	closed bool
	spare  spare
}

// Load checks, compiles and starts a file once. name identifies the module in messages
// and in a default manifest. A trusted module is part of the program: an endless loop in
// it cannot be stopped.
//
// It takes as long as compiling, so a new file should be loaded in the background. A trusted
// module that was compiled before is loaded by Warm or by its first call. file is not kept.
//
// Errors: abi.ErrGuest or abi.ErrLimit with the text `module "x": ...`, or the cause of
// ctx if it ended.
func (r *Runtime) Load(ctx context.Context, name string, file []byte, trusted bool) (*Module, error) {
	sum := sha256.Sum256(file)
	return r.LoadFile(ctx, Source{Name: name, Hash: hex.EncodeToString(sum[:]), Read: func() ([]byte, error) { return file, nil }, Trusted: trusted})
}

// Source is the file of a module, and how it is loaded.
type Source struct {
	Name     string // see Runtime.Load
	Hash     string // hexadecimal SHA-256 of the file
	Read     func() ([]byte, error)
	Trusted  bool        // see Runtime.Load
	IsUrgent func() bool // reports whether it is compiled before others that wait; nil: it is not
}

// LoadFile is Load for a file with a known hash. The file is not read if the module was
// loaded before.
//
// Errors: also abi.ErrUnavailable if it cannot be read.
func (r *Runtime) LoadFile(ctx context.Context, s Source) (*Module, error) {
	name, trusted := s.Name, s.Trusted
	dir := ""
	if trusted || len(r.opts.Compiler) > 0 {
		dir = r.opts.CacheDir
	}
	if !trusted {
		select {
		case r.scanSlots <- struct{}{}:
		case <-ctx.Done():
			return nil, module.Refuse(name, context.Cause(ctx))
		}
	}
	p, err := func() (*prepared, error) {
		if !trusted {
			defer func() { <-r.scanSlots }() // also after a panic, which the caller may recover from
		}
		return prepare(dir, name, s.Hash, s.Read, trusted)
	}()
	if err != nil {
		return nil, err
	}
	m := &Module{program: program{rt: r, queue: r.localQueue, info: p.Info}, name: name, prepared: p, isUrgent: s.IsUrgent}
	switch {
	case p.Trusted:
		m.queue = r.builtinQueue
	case r.usesProcesses():
		m.remote = newRemote(r, p)
	}
	if minimum := m.minBytes(); minimum > r.limits.Memory {
		return nil, fault.New(abi.ErrLimit, "module %q: needs %s of memory at least, limit %s (limits.memory)", name, fault.MiB(minimum), fault.MiB(r.limits.Memory))
	}
	if !p.Trusted && r.opts.Marks != nil && r.opts.Marks.Left(p.Info.Hash) {
		return nil, fault.New(abi.ErrUnavailable, "module %q: the daemon ended while this file was loaded, so it is not loaded again before `mcpctl reload`", name)
	}
	if r.opts.Deferred || p.Trusted && p.isStored {
		m.deferred = untilAvailable(func() error { return m.build(r.ctx) })
		r.addDeferred(m)
		return m, nil
	}
	if err := m.build(ctx); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// untilAvailable returns a function that calls build until its error is not
// abi.ErrUnavailable, and returns that result from then on. Safe for concurrent use.
func untilAvailable(build func() error) func() error {
	var mu sync.Mutex
	var result error
	done := false
	return func() error {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			result = build()
			done = !errors.Is(result, abi.ErrUnavailable)
		}
		return result
	}
}

// IsPrepared reports whether LoadFile of a module that is not trusted only reads its
// description from the cache.
func (r *Runtime) IsPrepared(name, hash string) bool {
	return r.usesProcesses() && isPrepared(filepath.Join(r.opts.CacheDir, preparedDir, preparedName(name, hash, false)))
}

// build compiles the module and starts a guest. A module that runs in a process of its own
// and has been started before is not started again.
func (m *Module) build(ctx context.Context) (err error) {
	p := m.prepared
	code := p.code // not needed after this function
	p.code = nil
	defer func() {
		if errors.Is(err, abi.ErrUnavailable) { // it is built again
			p.code = code
			if m.engine != nil {
				m.engine.close()
				m.engine = nil
			}
		}
	}()
	if m.remote != nil && p.isStored {
		return nil
	}
	if err := m.compile(ctx, code); err != nil {
		return module.Refuse(m.name, err)
	}
	if !p.Trusted {
		select {
		case m.rt.startSlots <- struct{}{}:
			defer func() { <-m.rt.startSlots }()
		case <-ctx.Done():
			return module.Refuse(m.name, context.Cause(ctx))
		}
		if m.remote == nil {
			defer m.rt.mark(m.info.Hash)()
		}
	}
	if err := m.startOnce(ctx); err != nil {
		if ctx.Err() == nil && !errors.Is(err, abi.ErrUnavailable) { // it was not closed meanwhile
			p.remove()
		}
		return module.Refuse(m.name, err)
	}
	return nil
}

// compile compiles code that is not in the cache, and sets the engine of a module that runs
// in this process.
func (m *Module) compile(ctx context.Context, code func() ([]byte, error)) error {
	r, p := m.rt, m.prepared
	isNew := !p.Trusted && !p.isStored && !r.opts.SideBySide
	var file []byte
	var err error
	if isNew {
		file, err = r.compileOutside(ctx, code, m.info.Format, m.isUrgent)
	} else {
		file, err = code()
	}
	if err != nil {
		return err
	}
	if isNew {
		if err := p.store(file); err != nil {
			if m.remote != nil {
				return fault.New(abi.ErrUnavailable, "its code cannot be stored (%v), try again with `mcpctl reload`", err)
			}
			r.log.Warn("compiled code cannot be noted", "err", err) // it is compiled again next time
		}
	}
	if m.remote != nil {
		return nil
	}
	if m.engine, err = m.compileFile(ctx, file); err != nil {
		return err
	}
	if p.Trusted && !p.isStored {
		if err := p.store(file); err != nil {
			r.log.Warn("prepared code cannot be kept", "err", err) // it is prepared again at the next start
		}
	}
	return nil
}

// compileFile compiles the prepared file and returns its engine.
func (m *Module) compileFile(ctx context.Context, file []byte) (engine, error) {
	r, p := m.rt, m.prepared
	if p.Info.Format == module.FormatExtism {
		return compileIsolated(ctx, r, m.isUrgent, func(ctx context.Context) (engine, error) {
			defer r.mark(p.Info.Hash)()
			return r.compileExtism(ctx, file)
		}, engine.close)
	}
	e := nativeEngine{runtime: r.engine, config: r.config, metered: !p.Trusted}
	var err error
	switch {
	case p.Trusted, r.opts.SideBySide:
		e.code, err = r.compileParallel(ctx, e.runtime, file)
	default:
		e.code, err = compileIsolated(ctx, r, m.isUrgent, func(ctx context.Context) (wazero.CompiledModule, error) {
			defer r.mark(p.Info.Hash)()
			return r.compile(ctx, e.runtime, file)
		}, func(c wazero.CompiledModule) { c.Close(context.Background()) })
	}
	switch {
	case err != nil:
		return nil, err
	case p.Info.Format == module.FormatWASI:
		return &commandEngine{e}, nil
	}
	return &e, nil
}

// mark marks a module that is not trusted until end is called.
func (r *Runtime) mark(hash string) (end func()) {
	if r.opts.Marks == nil {
		return func() {}
	}
	return r.opts.Marks.Begin(hash)
}

// minBytes returns the size of the memory that a guest has at its start.
func (m *Module) minBytes() int { return int(m.prepared.MinPages) * binary.PageBytes }

// startOnce starts a guest under the limits of a call, so that a module which cannot
// start is never used.
func (m *Module) startOnce(ctx context.Context) error {
	t, err := m.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer m.leave(t)
	if m.remote != nil {
		_, err := m.remote.acquire(ctx)
		if err == nil {
			m.remote.release()
		}
		return err
	}
	r := m.newStart(ctx, t)
	defer r.close()
	if err := r.start(); err != nil {
		if ctx.Err() != nil {
			return err
		}
		kind := abi.ErrGuest
		if errors.Is(err, abi.ErrLimit) {
			kind = abi.ErrLimit
		}
		return fault.New(kind, "%s %s", r.starting, trimSubject(err.Error()))
	}
	return nil
}

// newStart returns a run that only starts a guest, for an entry that is not known yet.
func (m *Module) newStart(ctx context.Context, t *turn) *run {
	j := job{role: new(role)}
	m.complete(&j)
	return newRun(ctx, &m.program, t, &j)
}

// Hash is the SHA-256 of the file in hexadecimal: the module's identity.
func (m *Module) Hash() string { return m.info.Hash }

// Manifest returns the module's manifest, or the default one. It must not be modified.
func (m *Module) Manifest() abi.Manifest { return m.info.Manifest }

// Info describes the file. It must not be modified.
func (m *Module) Info() module.Info { return m.info }

func (m *Module) role(name string) (*role, error) {
	i := slices.IndexFunc(m.info.Manifest.Roles, func(r abi.Role) bool { return r.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("module %q: role %q: %w", m.name, name, abi.ErrNotFound)
	}
	return &role{m.info.Manifest.Roles[i], i}, nil
}

// enter compiles a deferred module, counts a run and waits for its slot and its turn.
func (m *Module) enter(ctx context.Context) (*turn, error) {
	if m.deferred != nil {
		if err := m.compileDeferred(ctx); err != nil {
			return nil, err
		}
	}
	return m.takeTurn(ctx)
}

// addDeferred notes a trusted module for Warm.
func (r *Runtime) addDeferred(m *Module) {
	if !m.prepared.Trusted {
		return
	}
	r.mu.Lock()
	r.deferred = append(r.deferred, m)
	warm := r.warm
	r.mu.Unlock()
	if warm {
		r.Warm()
	}
}

// Warm loads the compiled code of trusted modules in the background, also of those that are
// loaded later, before their first call needs it. LoadFile leaves it on disk, because many
// processes never run a stage.
func (r *Runtime) Warm() {
	r.mu.Lock()
	modules := r.deferred
	r.deferred, r.warm = nil, true
	r.mu.Unlock()
	for _, m := range modules {
		r.spawn(func() {
			err := m.compileDeferred(r.ctx)
			if err != nil && !errors.Is(err, abi.ErrUnavailable) && r.ctx.Err() == nil { // it was not closed meanwhile
				r.log.Error("module failed", "module", m.name, "err", err) // as each of its calls reports
			}
		})
	}
}

// compileDeferred waits until the module is compiled, or ctx ends.
func (m *Module) compileDeferred(ctx context.Context) error {
	if err := m.retain(); err != nil {
		return err
	}
	done := make(chan error, 1)
	if !m.rt.spawn(func() {
		defer m.release() // frees the code if the module was closed meanwhile
		done <- m.deferred()
	}) {
		m.release()
		return errClosing
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m *Module) takeTurn(ctx context.Context) (*turn, error) {
	if err := m.retain(); err != nil {
		return nil, err
	}
	t, err := m.queue.enter(ctx, m.rt.ctx, &m.share)
	if err != nil {
		m.release()
		return nil, err
	}
	return t, nil
}

// leave ends a run: it releases its turn and the module.
func (m *Module) leave(t *turn) {
	t.leave()
	m.release()
}

func (m *Module) retain() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("module %q was closed: %w", m.name, abi.ErrUnavailable)
	}
	m.uses++
	return nil
}

func (m *Module) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses--
	m.freeUnused()
}

// Close ends the module: runs that have begun continue to their end, new ones fail. It
// can be called twice.
func (m *Module) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	m.freeUnused()
	return nil
}

// freeUnused frees the compiled code after the last run.
func (m *Module) freeUnused() {
	if m.closed && m.uses == 0 {
		m.spare.close()      // it is ready: its preparation counts as a use
		if m.engine != nil { // a deferred or remote module may not have one
			m.engine.close()
		}
		if m.remote != nil {
			m.remote.close()
		}
	}
}
