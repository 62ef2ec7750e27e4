package wasm

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/hosttest"
)

// wallOnly is an unknown processor time.
func wallOnly() (time.Duration, bool) { return 0, false }

// partOf is the processor time of a process with n/of of a processor.
func partOf(parts, of int) func() (time.Duration, bool) {
	start := time.Now()
	return func() (time.Duration, bool) {
		return time.Since(start) * time.Duration(parts) / time.Duration(of), true
	}
}

func TestClockCountsProcessorTime(t *testing.T) {
	for _, c := range []struct {
		rule string
		used func() func() (time.Duration, bool)
		want time.Duration
	}{
		{"own processor", func() func() (time.Duration, bool) { return partOf(1, 1) }, 2 * time.Second},
		{"two thirds of a processor", func() func() (time.Duration, bool) { return partOf(2, 3) }, 3 * time.Second},
		{"almost no processor", func() func() (time.Duration, bool) { return partOf(1, 1000) }, 4 * time.Second},
		{"several threads", func() func() (time.Duration, bool) { return partOf(8, 1) }, 2 * time.Second},
		{"unknown processor time", func() func() (time.Duration, bool) { return wallOnly }, 2 * time.Second},
	} {
		t.Run(c.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, out := time.Now(), make(chan time.Duration, 1)
				clock := startClock(2*time.Second, &usage{read: c.used()}, func() { out <- time.Since(start) })
				if got := <-out; got < c.want || got > c.want+20*time.Millisecond {
					t.Errorf("out after %v, want %v", got, c.want)
				}
				if !clock.expired.Load() {
					t.Error("imports are not stopped")
				}
			})
		})
	}
}

// A guest that cannot be stopped until its time is over is stopped before.
func TestClockLooksAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := startClock(2*time.Second, &usage{read: partOf(1, 1)}, func() {})
		time.Sleep(1990 * time.Millisecond) // of fake time
		for _, c := range []struct {
			ahead time.Duration
			over  bool
		}{{0, false}, {9 * time.Millisecond, false}, {10 * time.Millisecond, true}} {
			if clock.check(c.ahead); clock.expired.Load() != c.over {
				t.Errorf("%v ahead: over %v, want %v", c.ahead, !c.over, c.over)
			}
		}
		clock.stop()
	})
}

func TestClockIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, out := time.Now(), make(chan time.Duration, 1)
		clock := startClock(2*time.Second, &usage{read: partOf(1, 1)}, func() { out <- time.Since(start) })
		<-time.After(time.Second)
		clock.pause()
		<-time.After(time.Minute)
		if spent := clock.spent(); spent != time.Second {
			t.Errorf("spent %v in a pause, want 1s", spent)
		}
		clock.resume()
		if got := <-out; got != time.Minute+2*time.Second {
			t.Errorf("out after %v, want 1m2s", got)
		}
	})
}

// TestGuestsComputeInTurns verifies that waiting for a turn does not count: each guest gets
// its full time.
func TestGuestsComputeInTurns(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Limits.Time = 40 * time.Millisecond })
	if n := runtime.GOMAXPROCS(0); b.builtinQueue.turns.size != n || b.localQueue.turns.size != max(1, n-1) {
		t.Errorf("%d turns for built-in modules, %d for others, on %d processors", b.builtinQueue.turns.size, b.localQueue.turns.size, n)
	}
	b.localQueue.turns = newPlaces(1, 1)
	m, err := b.Load(t.Context(), "spin", spin().wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, _ := m.Guest("spin")
	start := time.Now()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := g.Run(t.Context(), content("x")); err == nil {
				t.Error("an endless loop ended")
			}
		})
	}
	all.Wait()
	if took := time.Since(start); took < 4*40*time.Millisecond {
		t.Errorf("4 runs of 40ms took %v: they computed concurrently", took)
	}
}

// TestWaitingGuestYields verifies that a guest that waits for an LLM keeps its slot and
// gives up its turn.
func TestWaitingGuestYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) { o.LLM = &hosttest.LLM{Latency: time.Second} })
		b.localQueue.turns = newPlaces(1, 1)
		b.usage.read = wallOnly
		s := &script{}
		q := addRequest(s, 0, "words")
		s.call("send", q)
		s.call("wait", -1, 2000)
		s.call("out_write", 0, 1)
		slow, quick := b.guest(t, "script", s.wasm()), b.guest(t, "quick", (&script{}).returns(abi.ReturnPass).wasm())
		waited := make(chan error, 1)
		go func() {
			_, err := slow.Run(t.Context(), content("x"))
			waited <- err
		}()
		synctest.Wait()
		start := time.Now()
		if _, err := quick.Run(t.Context(), content("x")); err != nil || time.Since(start) > 0 {
			t.Errorf("the other guest ran after %v: %v", time.Since(start), err)
		}
		if err := <-waited; err != nil {
			t.Error(err)
		}
		if l := b.localQueue; l.turns.count()+l.slots.count() != 0 {
			t.Errorf("%d turns and %d slots were not given back", l.turns.count(), l.slots.count())
		}
	})
}

// TestLocalModulesDoNotDelayBuiltins verifies that looping local modules do not delay a
// built-in module.
func TestLocalModulesDoNotDelayBuiltins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		full := []*places{b.localQueue.turns, b.localQueue.slots}
		loops := make([]share, 100)
		for _, p := range full {
			for i := range p.size {
				p.take(&loops[i])
			}
		}
		m, err := b.Load(t.Context(), "builtin", (&script{}).returns(abi.ReturnPass).wasm(), true)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		g, err := m.Guest("builtin")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Run(t.Context(), content("x")); err != nil {
			t.Error(err)
		}
		for _, p := range full {
			for i := range p.size {
				p.release(&loops[i])
			}
		}
	})
}

func TestClockString(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			used func() (time.Duration, bool)
			want string
		}{
			{partOf(1, 1), "2.0s"},
			{partOf(2, 3), "3.0s, 2.0s of them on a processor"},
			{partOf(1, 16), "4.0s on the wall, twice its limit, 0.2s of them on a processor"},
		} {
			out := make(chan struct{})
			clock := startClock(2*time.Second, &usage{read: c.used}, func() { close(out) })
			<-out
			if got := clock.String(); got != c.want {
				t.Errorf("trapped after %s, want %s", got, c.want)
			}
		}
	})
}
