package wasm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/fuel"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Module is one compiled .wasm file. Safe for concurrent use.
type Module struct {
	program
	name     string
	entries  map[string]string // the export of each role
	minPages uint32
	deferred func() error // compiles the module, once; nil: it is compiled
	// canRestore: its guests can be restored from a snapshot. Set before the first run.
	canRestore bool
	globals    int // mutable ones

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
// It takes as long as compiling, so a new file should be loaded in the background. file
// is not kept.
//
// Errors: abi.ErrGuest or abi.ErrLimit with the text `module "x": ...`, or the cause of
// ctx if it ended.
func (r *Runtime) Load(ctx context.Context, name string, file []byte, trusted bool) (*Module, error) {
	info, f, err := module.Check(name, file)
	if err != nil {
		return nil, err
	}
	m := &Module{program: program{rt: r, queue: r.localQueue, info: info}, name: name, minPages: f.MinPages}
	if err := m.findEntries(f); err != nil {
		return nil, module.Refuse(name, err)
	}
	trusted = trusted && info.Format == module.FormatNative
	if trusted {
		m.queue = r.builtinQueue
	}
	if minimum := m.minBytes(); minimum > r.limits.Memory {
		return nil, fault.New(abi.ErrLimit, "module %q: needs %s of memory at least, limit %s (limits.memory)", name, fault.MiB(minimum), fault.MiB(r.limits.Memory))
	}
	if !trusted && r.opts.Marks != nil && r.opts.Marks.Left(info.Hash) {
		return nil, fault.New(abi.ErrUnavailable, "module %q: the daemon ended while this file was loaded, so it is not loaded again before `mcpctl reload`", name)
	}
	if r.opts.Deferred {
		m.deferred = sync.OnceValue(func() error { return m.build(r.ctx, f, trusted) })
		return m, nil
	}
	if err := m.build(ctx, f, trusted); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// build compiles the module and starts a guest.
func (m *Module) build(ctx context.Context, f *module.File, trusted bool) (err error) {
	if m.engine, err = m.rt.compileFile(ctx, f, m.info, trusted); err != nil {
		return module.Refuse(m.name, err)
	}
	if !trusted {
		select {
		case m.rt.startSlots <- struct{}{}:
			defer func() { <-m.rt.startSlots }()
		case <-ctx.Done():
			return module.Refuse(m.name, context.Cause(ctx))
		}
		defer m.rt.mark(m.info.Hash)()
	}
	m.canRestore, m.globals = m.info.Format == module.FormatNative && !f.KeepsState(), f.MutableGlobals()
	if err := m.startOnce(ctx); err != nil {
		return module.Refuse(m.name, err)
	}
	return nil
}

// compileFile compiles a module and returns its engine.
func (r *Runtime) compileFile(ctx context.Context, f *module.File, info module.Info, trusted bool) (engine, error) {
	if info.Format == module.FormatExtism {
		file, err := rewriteExtism(f)
		if err == nil {
			err = r.compileOutside(ctx, file, codeExtism)
		}
		if err != nil {
			return nil, err
		}
		return compileIsolated(ctx, r, func(ctx context.Context) (engine, error) {
			defer r.mark(info.Hash)()
			return r.compileExtism(ctx, file)
		}, engine.close)
	}
	e := nativeEngine{runtime: r.engine, config: r.config, metered: !trusted}
	file := f.WithGlobals()
	var err error
	if e.metered {
		if file, err = fuel.Rewrite(file, fuel.Slice); err != nil {
			return nil, err
		}
	}
	switch {
	case trusted, r.opts.SideBySide:
		e.code, err = r.compileParallel(ctx, e.runtime, file)
	default:
		if err := r.compileOutside(ctx, file, codeNative); err != nil {
			return nil, err
		}
		e.code, err = compileIsolated(ctx, r, func(ctx context.Context) (wazero.CompiledModule, error) {
			defer r.mark(info.Hash)()
			return r.compile(ctx, e.runtime, file)
		}, func(c wazero.CompiledModule) { c.Close(context.Background()) })
	}
	switch {
	case err != nil:
		return nil, err
	case info.Format == module.FormatWASI:
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

// findEntries sets the exports of all roles, which module.Check has verified.
func (m *Module) findEntries(f *module.File) error {
	m.entries = make(map[string]string)
	for _, r := range m.info.Manifest.Roles {
		entry, err := f.Entry(m.info.Format, r.Name)
		if err != nil {
			return err
		}
		m.entries[r.Name] = entry
	}
	return nil
}

// minBytes returns the size of the memory that a guest has at its start.
func (m *Module) minBytes() int { return int(m.minPages) * binary.PageBytes }

// startOnce starts a guest under the limits of a call, so that a module which cannot
// start is never used.
func (m *Module) startOnce(ctx context.Context) error {
	t, err := m.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer m.leave(t)
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

// compileDeferred waits until the module is compiled, or ctx ends.
func (m *Module) compileDeferred(ctx context.Context) error {
	if err := m.retain(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer m.release() // frees the code if the module was closed meanwhile
		done <- m.deferred()
	}()
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
		if m.engine != nil { // a deferred module may not have one
			m.engine.close()
		}
	}
}
