package wasm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/plugins"
)

// TestBuiltinModule verifies that the built-in module, a regular Go program, runs with the
// host's WASI in both engines, and has the same output each time.
func TestBuiltinModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles 2.6 MB of WebAssembly twice")
	}
	text, err := os.ReadFile("../../testdata/content/ja-flows-atltvhead.json")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil)
	var first abi.Output
	for _, trusted := range []bool{true, false} {
		m, err := b.Load(t.Context(), "builtin", plugins.Builtin, trusted)
		if err != nil {
			t.Fatal(err)
		}
		if l := m.Info().Language; l != "go" {
			t.Errorf("language %q", l)
		}
		g, err := m.Guest("section-split")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			out, err := g.Run(t.Context(), content(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			if first.Bytes == nil {
				first = out
			}
			if len(out.Tree.Sections) == 0 || string(out.Bytes) != string(first.Bytes) || !slices.EqualFunc(out.Tree.Sections, first.Tree.Sections, sameSection) {
				t.Errorf("trusted %v: %d sections, output %q", trusted, len(out.Tree.Sections), out.Bytes)
			}
		}
		m.Close()
	}
}

// A deferred module is compiled at its first call, once, and can be closed without one.
func TestDeferredModule(t *testing.T) {
	for _, calls := range []int{0, 1, 4} {
		dir := t.TempDir()
		b := newBench(t, func(o *Options) { o.Deferred, o.CacheDir = true, dir })
		m, err := b.Load(t.Context(), "head", (&script{}).wasm(), true)
		if err != nil {
			t.Fatal(err)
		}
		if compiled(t, dir) {
			t.Error("Load has compiled the module")
		}
		var wait sync.WaitGroup
		for range calls {
			wait.Go(func() {
				if turn, err := m.enter(t.Context()); err != nil {
					t.Error(err)
				} else {
					m.leave(turn)
				}
			})
		}
		wait.Wait()
		if compiled(t, dir) != (calls > 0) {
			t.Errorf("compiled after %d calls: %v", calls, calls == 0)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if _, err := m.enter(t.Context()); !errors.Is(err, abi.ErrUnavailable) {
			t.Errorf("a closed module is entered: %v", err)
		}
	}
}

// A trusted module that was compiled before is loaded by Warm or its first call.
func TestTrustedModuleIsLoadedWhenNeeded(t *testing.T) {
	dir := t.TempDir()
	load := func(b *bench) *Module {
		m, err := b.Load(t.Context(), "head", (&script{noResult: true}).returns(abi.ReturnPass).wasm(), true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		return m
	}
	call := func(m *Module) error {
		head, err := m.Guest("head")
		if err != nil {
			t.Fatal(err)
		}
		_, err = head.Run(t.Context(), content("x"))
		return err
	}
	keep := func(o *Options) { o.CacheDir = dir }
	if first := load(newBench(t, keep)); first.engine == nil {
		t.Error("a new module is not compiled by Load")
	}
	second := load(newBench(t, keep))
	if second.engine != nil {
		t.Error("Load has loaded compiled code")
	}
	if err := call(second); err != nil {
		t.Error(err)
	}
	b := newBench(t, keep)
	before := load(b)
	b.Warm()
	after := load(b)
	b.background.Wait()
	if before.engine == nil || after.engine == nil {
		t.Error("Warm has not loaded compiled code")
	}
	if err := call(before); err != nil {
		t.Error(err)
	}
	// A runtime that is closed meanwhile waits for the load, and the module stays prepared.
	b = newBench(t, keep)
	closing := load(b)
	b.Warm()
	closing.Close()
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if closing.uses != 0 {
		t.Error("the module is still being loaded after Close")
	}
	if again := load(newBench(t, keep)); again.engine != nil {
		t.Error("what was prepared is removed")
	}
}

// A call that waits for the compiler ends with its context, and the module can be closed
// meanwhile.
func TestDeferredModuleIsCancelled(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Deferred = true })
	occupyCompiler(b)
	m, err := b.Load(t.Context(), "head", (&script{}).wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	time.AfterFunc(50*time.Millisecond, func() { cancel(interrupted) })
	if _, err := m.enter(ctx); !errors.Is(err, interrupted) {
		t.Errorf("got %v", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	b.compileSlots.release()
}

// compiled reports whether dir contains compiled code.
func compiled(t *testing.T, dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files) > 0
}

// BenchmarkGoGuest measures a small call of a built-in stage. Guests of local modules are
// not reused.
func BenchmarkGoGuest(b *testing.B) {
	g := func() Guest {
		m, err := newBench(b, nil).Load(context.Background(), "builtin", plugins.Builtin, true)
		if err != nil {
			b.Fatal(err)
		}
		g, err := m.Guest("passthrough")
		if err != nil {
			b.Fatal(err)
		}
		return g
	}()
	c := content("1 KB of content")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoadCompiled loads code that is compiled on disk.
func BenchmarkLoadCompiled(b *testing.B) {
	dir := b.TempDir()
	load := func() {
		r := newBench(b, func(o *Options) { o.CacheDir = dir })
		b.StartTimer()
		m, err := r.Load(b.Context(), "builtin", plugins.Builtin, true)
		if err != nil {
			b.Fatal(err)
		}
		t, err := m.enter(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		m.leave(t)
	}
	load()
	for b.Loop() {
		b.StopTimer()
		load()
	}
}

// BenchmarkLoadFresh loads and compiles.
func BenchmarkLoadFresh(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		r := newBench(b, nil)
		b.StartTimer()
		if _, err := r.Load(b.Context(), "builtin", plugins.Builtin, true); err != nil {
			b.Fatal(err)
		}
	}
}
