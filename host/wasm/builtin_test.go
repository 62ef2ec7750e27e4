package wasm

import (
	"context"
	"os"
	"slices"
	"testing"

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
	newBench(b, func(o *Options) { o.CacheDir = dir }).guest(b, "section-split", plugins.Builtin)
	for b.Loop() {
		b.StopTimer()
		r := newBench(b, func(o *Options) { o.CacheDir = dir })
		b.StartTimer()
		if _, err := r.Load(b.Context(), "builtin", plugins.Builtin, true); err != nil {
			b.Fatal(err)
		}
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
