package wasm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// initialize makes the code so far the _initialize of the script.
func (s *script) initialize() *script {
	s.init, s.code, s.calls = s.code, nil, 0
	return s
}

// starting loads a guest and returns it with its module.
func starting(t *testing.T, b *bench, s *script) (*Module, Guest) {
	t.Helper()
	m, err := b.Load(t.Context(), "script", s.wasm(), false)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("script")
	if err != nil {
		t.Fatal(err)
	}
	return m, g
}

// waiting returns the channel with the prepared guest when it is ready; nil if there is none.
func waiting(t *testing.T, b *bench, m *Module) chan *instance {
	t.Helper()
	b.background.Wait()
	if m.spare.guest != nil && len(m.spare.guest) == 0 {
		t.Fatal("an announced guest was not prepared")
	}
	return m.spare.guest
}

func run1(t *testing.T, g Guest, memory int) abi.Output {
	t.Helper()
	c := content("x")
	c.Context.Limits.MemoryBytes = memory
	out, err := g.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSpareIsEquivalent verifies that a call with a prepared guest has the same log, clock,
// random numbers and figures as a call that starts its own.
func TestSpareIsEquivalent(t *testing.T) {
	b := newBench(t, nil)
	s := (&script{noResult: true}).data(0, "hello")
	s.callOf(module.WASINamespace, "random_get", binary.TypeI32, 200, 8)
	s.callOf(module.WASINamespace, "clock_time_get", binary.TypeI32, 1, int64(1), 208)
	s.call("log", 1, 0, 5)
	s.initialize()
	s.call("log", 1, 200, 16) // as it was left by the start
	s.callOf(module.WASINamespace, "random_get", binary.TypeI32, 200, 8)
	s.callOf(module.WASINamespace, "clock_time_get", binary.TypeI32, 1, int64(1), 208)
	s.call("log", 1, 200, 16)
	m, g := starting(t, b, s.returns(abi.ReturnPass))
	if waiting(t, b, m) != nil {
		t.Fatal("a module that was never called has a prepared guest")
	}
	own := run1(t, g, 0)
	for range 3 {
		before := waiting(t, b, m)
		if before == nil {
			t.Fatal("no guest was prepared")
		}
		out := run1(t, g, 0)
		if waiting(t, b, m) == before {
			t.Fatal("the call did not use the prepared guest")
		}
		if !slices.Equal(out.Log, own.Log) || len(out.Log) != 3 {
			t.Errorf("log %q, want %q", out.Log, own.Log)
		}
		if out.Stats.HostCalls != own.Stats.HostCalls || out.Stats.MemoryBytes != own.Stats.MemoryBytes {
			t.Errorf("figures %+v, want %+v", out.Stats, own.Stats)
		}
	}
}

// TestSpareRespectsMemoryLimit verifies that a guest which has more memory than a call may
// have, or was refused memory, is not used.
func TestSpareRespectsMemoryLimit(t *testing.T) {
	const least, grown = 3 * binary.PageBytes, (3 + 32) * binary.PageBytes
	s := (&script{noResult: true}).raw(i32const, 32, memoryGrow, 0, drop).initialize().returns(abi.ReturnPass)
	for _, c := range []struct {
		rule string
		host int
		call []int
		want []int
	}{
		{"call with less memory starts its own", 64 << 20, []int{0, 1 << 20, 0}, []int{grown, least, grown}},
		{"call with more memory starts its own", 1 << 20, []int{0, 64 << 20, 0}, []int{least, grown, least}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			b := newBench(t, func(o *Options) { o.Limits.Memory = c.host })
			m, g := starting(t, b, s)
			for i, memory := range c.call {
				if out := run1(t, g, memory); out.Stats.MemoryBytes != c.want[i] {
					t.Errorf("call %d: %d bytes of memory, want %d", i, out.Stats.MemoryBytes, c.want[i])
				}
				waiting(t, b, m)
			}
		})
	}
}

func TestSpareExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		m, g := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
		run1(t, g, 0)
		i := <-waiting(t, b, m)
		m.spare.guest <- i
		<-time.After(spareLifetime + time.Second)
		if synctest.Wait(); m.spare.guest != nil || !i.inst.IsClosed() {
			t.Error("it did not expire")
		}
		run1(t, g, 0)
		b.Close(context.Background())
	})
}

func TestSpareEndsWithModule(t *testing.T) {
	b := newBench(t, nil)
	m, g := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
	run1(t, g, 0)
	i := <-waiting(t, b, m)
	m.spare.guest <- i
	if m.Close(); !i.inst.IsClosed() {
		t.Error("it was not closed with its module")
	}
	if _, err := g.Run(t.Context(), content("x")); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// TestCanceledCallerOfSpare verifies that a guest is closed if its caller is gone when it is
// ready.
func TestCanceledCallerOfSpare(t *testing.T) {
	b := newBench(t, nil)
	m, _ := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
	coming := m.announceSpare()
	ctx, gone := context.WithCancel(t.Context())
	gone()
	turn, err := m.takeTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave(turn)
	r := m.newStart(ctx, turn)
	defer r.close()
	if m.takeSpare(r) {
		t.Fatal("used a guest that is not ready")
	}
	i := m.startGuest(nil, 0)
	coming <- i
	if b.background.Wait(); !i.inst.IsClosed() {
		t.Error("it was not closed")
	}
}

// TestWaitingForSpareIsNotCounted verifies that preparing a guest does not count against
// its time.
func TestWaitingForSpareIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		b.usage.read = wallOnly
		m, g := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
		coming := m.announceSpare()
		go func() {
			<-time.After(time.Second)
			coming <- m.startGuest(nil, 0)
		}()
		start := time.Now()
		if out := run1(t, g, 0); out.Stats.Guest != 0 || time.Since(start) != time.Second {
			t.Errorf("the clock ran %v of %v", out.Stats.Guest, time.Since(start))
		}
		b.Close(context.Background())
	})
}
