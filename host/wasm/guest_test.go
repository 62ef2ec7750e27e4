package wasm

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// TestRunsDoNotLeak verifies that 1,000 runs leak no goroutine, instance or memory.
func TestRunsDoNotLeak(t *testing.T) {
	b := newBench(t, nil)
	s := (&script{noResult: true}).data(0, "secret")
	s.call("out_span", 0, 0, -1)
	m, err := b.Load(t.Context(), "script", s.wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	bad, err := b.Load(t.Context(), "bad", (&script{noResult: true}).raw(unreachable).wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer bad.Close()
	good, _ := m.Guest("script")
	trap, _ := bad.Guest("bad")
	burst := func(n int) {
		for range n {
			if _, err := good.Run(t.Context(), content("x")); err != nil {
				t.Fatal(err)
			}
			if _, err := trap.Run(t.Context(), content("x")); err == nil {
				t.Fatal("no trap")
			}
		}
	}
	burst(50)
	goroutines, heap := settle()
	burst(1000)
	after, heapAfter := settle()
	if after > goroutines {
		t.Errorf("%d goroutines, %d before", after, goroutines)
	}
	if heapAfter > heap+1<<20 {
		t.Errorf("heap of %d bytes, %d before", heapAfter, heap)
	}
}

// settle waits for goroutines to end and returns the goroutines and the heap.
func settle() (goroutines int, heap uint64) {
	goroutines = runtime.NumGoroutine()
	for range 100 {
		runtime.GC()
		runtime.Gosched()
		goroutines = min(goroutines, runtime.NumGoroutine())
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return goroutines, m.HeapAlloc
}

// TestEachRunIsClean verifies that memory, globals and tables are reset before each run.
func TestEachRunIsClean(t *testing.T) {
	b := newBench(t, nil)
	file, err := os.ReadFile(filepath.Join(hostileDir, "leak.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	leak := b.guest(t, "leak", file)
	grow := b.guest(t, "grow", mustRead(t, "memory-touch-once.wasm"))
	for range 20 {
		if _, err := leak.Run(t.Context(), content("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := grow.Run(t.Context(), content("x")); err != nil {
			t.Fatal(err)
		}
	}
}

func mustRead(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRunsAreDeterministic verifies that clock and random numbers start again with each
// call.
func TestRunsAreDeterministic(t *testing.T) {
	s := &script{}
	s.callOf(module.WASINamespace, "random_get", binary.TypeI32, 0, 64)
	s.callOf(module.WASINamespace, "clock_time_get", binary.TypeI32, 0, int64(1), 64)
	s.callOf(module.WASINamespace, "clock_time_get", binary.TypeI32, 1, int64(1), 72)
	s.callOf(module.WASINamespace, "clock_time_get", binary.TypeI32, 1, int64(1), 80)
	b := newBench(t, nil)
	first := b.run(t, s.returns(1), content("x"))
	second := b.run(t, s, content("x"))
	if string(first.memory[:88]) != string(second.memory[:88]) {
		t.Errorf("%x\n%x", first.memory[:88], second.memory[:88])
	}
	if first.u32(72) >= first.u32(80) {
		t.Error("the clock does not advance")
	}
	if string(first.memory[:8]) == string(first.memory[8:16]) {
		t.Error("random numbers repeat immediately")
	}
}

func TestRunsInParallel(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Guests = 3 })
	s := (&script{noResult: true}).data(0, "k")
	s.call("cache_set", 0, 1, 0, 1)
	s.call("section_add", -1, 0, 0, 2, 0, 1)
	s.call("out_span", 0, 0, -1)
	g := b.guest(t, "script", s.wasm())
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			text := strings.Repeat("x", i+2)
			out, err := g.Run(t.Context(), content(text))
			if err != nil || string(out.Bytes) != text || len(out.Tree.Sections) != 1 {
				t.Errorf("%v: %q", err, out.Bytes)
			}
		})
	}
	wg.Wait()
}

// TestGuestWaitsForSlot verifies that waiting ends with the context of the caller.
func TestGuestWaitsForSlot(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Guests = 1 })
	loop, err := b.Load(t.Context(), "loop", spin().wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := loop.Guest("loop")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx, content("x")) }()
	for b.localQueue.slots.count() == 0 {
		runtime.Gosched()
	}
	second, giveUp := context.WithTimeout(t.Context(), time.Millisecond)
	defer giveUp()
	if _, err := g.Run(second, content("x")); err == nil || !strings.HasPrefix(err.Error(), "run given up: ") {
		t.Errorf("got %v", err)
	}
	stop()
	<-ended
}

func TestCloseEndsRuns(t *testing.T) {
	b := newBench(t, nil)
	loop, err := b.Load(t.Context(), "loop", spin().wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := loop.Guest("loop")
	ended := make(chan error)
	go func() { _, err := g.Run(t.Context(), content("x")); ended <- err }()
	for b.localQueue.slots.count() == 0 {
		runtime.Gosched()
	}
	closed := make(chan struct{})
	go func() { defer close(closed); b.Close(context.Background()) }()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "closing") {
		t.Errorf("got %v", err)
	}
	<-closed
	if _, err := g.Run(t.Context(), content("x")); err == nil {
		t.Error("a run after Close")
	}
}

// panicky is a KV with a bug.
type panicky struct{ memoryKV }

func (*panicky) Get(Namespace, []byte) ([]byte, bool) { panic("bug") }

// TestPanicInImport verifies that a bug of the host in an import is an error of that run.
func TestPanicInImport(t *testing.T) {
	b := newBench(t, func(o *Options) { o.KV = &panicky{} })
	s := &script{noResult: true}
	s.call("cache_get", 0, 1)
	got := b.run(t, s, content("x"))
	if got.err == nil || got.err.Error() != "host failed in cache_get" {
		t.Errorf("got %v", got.err)
	}
}

// TestMemoryLimitOfCall verifies that a smaller limit applies to one call.
func TestMemoryLimitOfCall(t *testing.T) {
	b := newBench(t, nil)
	grow := (&script{noResult: true}).raw(i32const, 16, memoryGrow, 0, i32const, 0x7f, 0x46, 0x04, voidBlock, unreachable, end)
	g := b.guest(t, "grow", grow.returns(1).wasm())
	c := content("x")
	c.Context.Limits = abi.GuestLimits{MemoryBytes: 1 << 20}
	if _, err := g.Run(t.Context(), c); err == nil || err.Error() != "guest trapped: unreachable at 1 MiB (limit 1 MiB, set limits.memory)" {
		t.Errorf("got %v", err)
	}
	if _, err := g.Run(t.Context(), content("x")); err != nil {
		t.Error(err)
	}
	c.Context.Limits.MemoryBytes = 100 << 10
	if _, err := g.Run(t.Context(), c); err == nil || err.Error() != "guest needs 1 MiB at least (limit 1 MiB, set limits.memory)" {
		t.Errorf("got %v", err)
	}
}

func BenchmarkFreshSmallGuest(b *testing.B) {
	s := &script{noResult: true}
	s.call("out_span", 0, 0, -1)
	g := newBench(b, nil).guest(b, "script", s.wasm())
	c := content(strings.Repeat("x", 1024))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkImport measures one call of an import, with 1,000 in a run.
func BenchmarkImport(b *testing.B) {
	s := &script{noResult: true}
	s.repeat(1000, func() { s.callOf(abi.NSCore, "buf_len", binary.TypeI32, 0) })
	g := newBench(b, nil).guest(b, "script", s.returns(1).wasm())
	c := content("x")
	for b.Loop() {
		if _, err := g.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/import")
}

// The same input uses the same fuel.
func TestFuelIsTheSame(t *testing.T) {
	runs := 10_000
	if testing.Short() {
		runs = 100
	}
	file, err := os.ReadFile("../../bench/languages/dist/heading-split.rust.wasm")
	if err != nil {
		t.Fatal(err)
	}
	g := newBench(t, nil).localGuest(t, "heading-split", file)
	c := content(strings.Repeat("# Heading\n\nSome text.\n\n", 20))
	var first int64
	for n := range runs {
		out, err := g.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = out.Stats.Fuel
		}
		if out.Stats.Fuel != first || first == 0 {
			t.Fatalf("run %d used %d of fuel, the first one %d", n, out.Stats.Fuel, first)
		}
	}
	t.Logf("%d runs used %d of fuel each", runs, first)
}
