package wasm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// initialize makes what the script has so far its _initialize.
func (s *script) initialize() *script {
	s.init, s.code, s.calls = s.code, nil, 0
	return s
}

// starting is a loaded guest and its module.
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

// waiting gives the channel that holds the instance made ahead, once it is there;
// nil: there is none.
func waiting(t *testing.T, b *bench, m *Module) chan *instance {
	t.Helper()
	b.background.Wait()
	if m.spare.guest != nil && len(m.spare.guest) == 0 {
		t.Fatal("an instance was announced, and none came")
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

// covers D-004, G12: a call on an instance that was made ahead gives what one gives
// that starts its own: log, clock, random numbers and figures go on from the start.
func TestInstanceMadeAheadIsAsAnyOther(t *testing.T) {
	b := newBench(t, nil)
	s := (&script{noResult: true}).data(0, "hello")
	s.callOf(module.WASINamespace, "random_get", module.TypeI32, 200, 8)
	s.callOf(module.WASINamespace, "clock_time_get", module.TypeI32, 1, int64(1), 208)
	s.call("log", 1, 0, 5)
	s.initialize()
	s.call("log", 1, 200, 16) // as it was left by the start
	s.callOf(module.WASINamespace, "random_get", module.TypeI32, 200, 8)
	s.callOf(module.WASINamespace, "clock_time_get", module.TypeI32, 1, int64(1), 208)
	s.call("log", 1, 200, 16)
	m, g := starting(t, b, s.returns(abi.ReturnPass))
	if waiting(t, b, m) != nil {
		t.Fatal("a module that was never called holds an instance")
	}
	own := run1(t, g, 0)
	for range 3 {
		before := waiting(t, b, m)
		if before == nil {
			t.Fatal("nothing was made ahead")
		}
		out := run1(t, g, 0)
		if waiting(t, b, m) == before {
			t.Fatal("the call did not take what was made ahead")
		}
		if !slices.Equal(out.Log, own.Log) || len(out.Log) != 3 {
			t.Errorf("log %q, want %q", out.Log, own.Log)
		}
		if out.Stats.HostCalls != own.Stats.HostCalls || out.Stats.MemoryBytes != own.Stats.MemoryBytes {
			t.Errorf("figures %+v, want %+v", out.Stats, own.Stats)
		}
	}
}

// What a start makes of its limit of memory is what it would make of that of the
// call: an instance that has more, or was refused some, is no other call's.
func TestInstanceMadeAheadKeepsTheLimitOfTheCall(t *testing.T) {
	const least, grown = 3 * module.PageBytes, (3 + 32) * module.PageBytes
	s := (&script{noResult: true}).raw(i32const, 32, memoryGrow, 0, drop).initialize().returns(abi.ReturnPass)
	for _, c := range []struct {
		rule string
		host int
		call []int
		want []int
	}{
		{"a call with less starts its own", 64 << 20, []int{0, 1 << 20, 0}, []int{grown, least, grown}},
		{"a call with more starts its own", 1 << 20, []int{0, 64 << 20, 0}, []int{least, grown, least}},
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

func TestInstanceMadeAheadEndsUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		m, g := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
		run1(t, g, 0)
		i := <-waiting(t, b, m)
		m.spare.guest <- i
		<-time.After(spareLifetime + time.Second)
		if synctest.Wait(); m.spare.guest != nil || !i.inst.IsClosed() {
			t.Error("it is kept for a call that does not come")
		}
		run1(t, g, 0)
		b.Close(context.Background())
	})
}

func TestInstanceMadeAheadEndsWithItsModule(t *testing.T) {
	b := newBench(t, nil)
	m, g := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
	run1(t, g, 0)
	i := <-waiting(t, b, m)
	m.spare.guest <- i
	if m.Close(); !i.inst.IsClosed() {
		t.Error("it outlives its module")
	}
	if _, err := g.Run(t.Context(), content("x")); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// A caller that has gone while an instance is made ahead leaves it to be ended.
func TestCallerGoesWhileAnInstanceIsMade(t *testing.T) {
	b := newBench(t, nil)
	m, _ := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
	coming := m.announceSpare()
	ctx, gone := context.WithCancel(t.Context())
	gone()
	r := m.newStart(ctx)
	defer r.close()
	if m.takeSpare(r) {
		t.Fatal("took an instance that is not there")
	}
	i := m.startGuest(0)
	coming <- i
	if b.background.Wait(); !i.inst.IsClosed() {
		t.Error("nobody ends it")
	}
}

// A guest does not pay for the time in which the host makes its instance.
func TestWaitingForAnInstanceCostsTheGuestNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		b.processorTime = wallOnly
		m, g := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
		coming := m.announceSpare()
		go func() {
			<-time.After(time.Second)
			coming <- m.startGuest(0)
		}()
		start := time.Now()
		if out := run1(t, g, 0); out.Stats.Guest != 0 || time.Since(start) != time.Second {
			t.Errorf("the clock ran %v of %v", out.Stats.Guest, time.Since(start))
		}
		b.Close(context.Background())
	})
}
