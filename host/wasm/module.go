package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Module is one compiled .wasm file. Safe for concurrent use.
type Module struct {
	name     string
	rt       *Runtime
	engine   wazero.Runtime
	compiled wazero.CompiledModule
	plugin   *compiledPlugin   // of a module built for Extism, in place of engine and compiled
	entries  map[string]string // the export that plays a role
	lane     *lane
	info     module.Info
	minPages uint32
	reused   bool      // its guests serve more than one call
	mutable  int       // globals that can be set
	snapshot *snapshot // of a guest, if they are reused

	mu     sync.Mutex
	uses   int
	closed bool
	ahead  ahead
}

// Load checks, compiles and tries a file. name is what messages and a default
// manifest call it. A trusted module is one of our own: nothing stops a loop of
// its.
//
// It takes as long as compiling does, so for a new file call it in the
// background. Nothing of file is kept.
//
// Errors: abi.ErrGuest or abi.ErrLimit with the text `module "x": ...`, or the
// cause of ctx if it ended.
func (r *Runtime) Load(ctx context.Context, name string, file []byte, trusted bool) (*Module, error) {
	info, f, err := module.Check(name, file)
	if err != nil {
		return nil, err
	}
	m := &Module{name: name, rt: r, engine: r.guarded, lane: &r.local, info: info, minPages: f.MinPages}
	if err := m.findEntries(f); err != nil {
		return nil, module.Refuse(name, err)
	}
	if trusted && info.Format == module.FormatNative {
		m.engine, m.lane = r.trusted, &r.ours
		m.reused, m.mutable = !f.KeepsState(), f.MutableGlobals()
	}
	if least := int(f.MinPages) * module.PageBytes; least > r.limits.Memory {
		return nil, fault.New(abi.ErrLimit, "module %q: needs %s of memory at least, limit %s (limits.memory)", name, fault.MiB(least), fault.MiB(r.limits.Memory))
	}
	binary := f.Stripped()
	switch {
	case m.engine == r.trusted:
		binary = f.WithGlobals()
	case info.Format == module.FormatExtism:
		binary = redirectEnv(f)
	}
	if err = m.compile(ctx, binary, m.engine == r.trusted); err != nil {
		return nil, module.Refuse(name, err)
	}
	if err := m.try(ctx); err != nil {
		m.Close()
		return nil, module.Refuse(name, err)
	}
	return m, nil
}

// try runs the module's start once under the limits of a call, so that one
// which cannot start is never served. Of one of our own it keeps the snapshot.
func (m *Module) try(ctx context.Context) error {
	done, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer done()
	r := m.newStart(ctx)
	defer r.close()
	if err := r.start(); err != nil {
		if ctx.Err() != nil {
			return err
		}
		kind := abi.ErrGuest
		if errors.Is(err, abi.ErrLimit) {
			kind = abi.ErrLimit
		}
		return fault.New(kind, "%s %s", r.starting, afterGuest(err.Error()))
	}
	if m.reused && !r.mem.refused {
		m.snapshot = snapshotOf(&r.instance, m.mutable)
	}
	return nil
}

// Hash is the SHA-256 of the file in hexadecimal: the module's identity.
func (m *Module) Hash() string { return m.info.Hash }

// Manifest is the module's own, or the default one. Not to be modified.
func (m *Module) Manifest() abi.Manifest { return m.info.Manifest }

// Info is what Inspect said of the file. Not to be modified.
func (m *Module) Info() module.Info { return m.info }

// enter counts a run and waits for its place and its turn. A guest that has to
// share its processor with others would lose time that its clock counts.
func (m *Module) enter(ctx context.Context) (done func(), err error) {
	if err := m.hold(); err != nil {
		return nil, err
	}
	if err := m.rt.await(ctx, m.lane.slots); err != nil {
		m.leave()
		return nil, err
	}
	if err := m.rt.await(ctx, m.lane.turns); err != nil {
		<-m.lane.slots
		m.leave()
		return nil, err
	}
	return func() { <-m.lane.turns; <-m.lane.slots; m.leave() }, nil
}

// await takes one of places.
//
// Errors: the cause of ctx, or that the runtime is closing.
func (r *Runtime) await(ctx context.Context, places chan<- struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("run given up: %w", context.Cause(ctx))
	case <-r.ctx.Done():
		return fmt.Errorf("run given up: %w", errClosing)
	}
}

func (m *Module) hold() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("module %q was closed: %w", m.name, abi.ErrUnavailable)
	}
	m.uses++
	return nil
}

func (m *Module) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses--
	m.release()
}

// Close ends the module: runs that have begun go on to their end, new ones
// fail. It can be called twice.
func (m *Module) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	m.release()
	return nil
}

// release frees the compiled code once nobody runs it.
func (m *Module) release() {
	if m.closed && m.uses == 0 {
		m.endAhead() // is there: what makes it is a use
		if m.plugin != nil {
			m.plugin.Close(context.Background())
			return
		}
		m.compiled.Close(context.Background())
	}
}

// findEntries notes the exports of all roles, which module.Check has verified.
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
