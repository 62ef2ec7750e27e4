package wasm

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/plugins"
)

// nextOf gives the instance that waits for the next call of a module.
func nextOf(t *testing.T, b *bench, m *Module) *instance {
	t.Helper()
	coming := waiting(t, b, m)
	if coming == nil {
		t.Fatal("no instance waits")
	}
	i := <-coming
	coming <- i
	return i
}

// covers D-004: a guest of ours that served a call is the guest of the next one, and
// no byte of it tells so.
func TestGuestIsUsedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the built-in stages")
	}
	b := newBench(t, nil)
	m, err := b.Load(t.Context(), "builtin", plugins.Builtin, true)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("section-split")
	if err != nil {
		t.Fatal(err)
	}
	var first *instance
	for i, text := range []string{`{"a":1}`, "# one\n\ntwo\n", "", "a,b\n1,2\n"} {
		if _, err := g.Run(t.Context(), content(text)); err != nil {
			t.Fatal(err)
		}
		at := nextOf(t, b, m)
		if first == nil {
			first = at
		}
		if at.inst != first.inst {
			t.Errorf("call %d: another guest waits", i)
		}
		if !bytes.Equal(at.mem.Bytes, m.snapshot.memory) {
			t.Errorf("call %d: memory differs from that of a guest that has started", i)
		}
		for n, v := range m.snapshot.globals {
			if got := at.inst.ExportedGlobal(module.GlobalName(n)).Get(); got != v {
				t.Errorf("call %d: global %d is %d, was %d", i, n, got, v)
			}
		}
	}
	if len(m.snapshot.globals) == 0 {
		t.Error("a guest of Go has globals that can be set, none was kept")
	}
}

// What a guest has for its calls is made once, too: the engine's stack for one entry
// takes 10 KB, which was most of what an empty call cost.
func TestGuestIsUsedAgainWithItsStack(t *testing.T) {
	b := newBench(t, nil)
	m, err := b.Load(t.Context(), "script", (&script{noResult: true}).returns(abi.ReturnPass).wasm(), true)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("script")
	if err != nil {
		t.Fatal(err)
	}
	const calls, most = 100, 8 << 10
	run1(t, g, 0)
	var each uint64
	for range 5 { // what another test left running allocates too
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			run1(t, g, 0)
		}
		runtime.ReadMemStats(&after)
		if each = (after.TotalAlloc - before.TotalAlloc) / calls; each <= most {
			return
		}
	}
	t.Errorf("%d bytes for an empty call, want %d at most", each, most)
}

// What a snapshot does not hold, nobody finds in the next call: such guests end.
func TestGuestIsNotUsedAgain(t *testing.T) {
	leak, err := os.ReadFile(filepath.Join(hostileDir, "leak.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	for rule, file := range map[string][]byte{
		"after a trap":                    new(script).raw(0x00).returns(abi.ReturnPass).wasm(),
		"with memory that has grown":      new(script).raw(i32const, 1, memoryGrow, 0, drop).returns(abi.ReturnPass).wasm(),
		"of a module that changes tables": leak,
	} {
		t.Run(rule, func(t *testing.T) {
			b := newBench(t, nil)
			m, err := b.Load(t.Context(), "script", file, true)
			if err != nil {
				t.Fatal(err)
			}
			g, err := m.Guest("script")
			if err != nil {
				t.Fatal(err)
			}
			var before *instance
			for range 3 {
				_, _ = g.Run(t.Context(), content("x"))
				at := nextOf(t, b, m)
				if before != nil && at.inst == before.inst {
					t.Error("it is used again")
				}
				before = at
			}
		})
	}
	t.Run("of a stranger", func(t *testing.T) {
		b := newBench(t, nil)
		m, g := starting(t, b, new(script).returns(abi.ReturnPass))
		run1(t, g, 0)
		before := nextOf(t, b, m)
		run1(t, g, 0)
		if nextOf(t, b, m).inst == before.inst {
			t.Error("it is used again")
		}
	})
}
