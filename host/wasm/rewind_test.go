package wasm

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
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
		if !bytes.Equal(at.mem.buf, m.snapshot.memory) {
			t.Errorf("call %d: memory differs from that of a guest that has started", i)
		}
		for n, v := range m.snapshot.globals {
			if got := at.inst.ExportedGlobal(globalName(n)).Get(); got != v {
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

// Every instruction of the host's WebAssembly is passed with what belongs to it, and
// those are found that change tables or drop segments.
func TestInstructionsThatKeepState(t *testing.T) {
	end := []byte{0x0b}
	for name, code := range map[string][]byte{
		"numbers":        {0x41, 0x80, 0x80, 0x7f, 0x42, 0xff, 0xff, 0x03, 0x43, 1, 2, 3, 4, 0x44, 1, 2, 3, 4, 5, 6, 7, 8, 0x6a, 0xc4},
		"blocks":         {0x02, 0x40, 0x03, 0x7f, 0x04, 0x80, 0x01, 0x05, 0x0b, 0x0b, 0x0b, 0x00, 0x01, 0x0f, 0x1a, 0x1b},
		"branches":       {0x0c, 0x80, 0x01, 0x0d, 0x01, 0x0e, 0x02, 0x26, 0x26, 0x26},
		"calls":          {0x10, 0x26, 0x11, 0x26, 0x26},
		"locals":         {0x20, 0x26, 0x21, 0x26, 0x22, 0x26, 0x23, 0x26, 0x24, 0x26, 0x25, 0x26},
		"memory":         {0x28, 0x26, 0x26, 0x3e, 0x26, 0x80, 0x26, 0x3f, 0x00, 0x40, 0x00},
		"references":     {0xd0, 0x70, 0xd1, 0xd2, 0x26, 0x1c, 0x01, 0x7f},
		"memory at once": {0xfc, 0x0a, 0, 0, 0xfc, 0x0b, 0, 0xfc, 0x08, 0x26, 0, 0xfc, 0x10, 0x26, 0xfc, 0x07},
		"vectors": {0xfd, 0x00, 0x26, 0x26, 0xfd, 0x0c, 0x26, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0xfd, 0x15, 0x26, 0xfd, 0x54, 0x26, 0x26, 0x26,
			0xfd, 0x5c, 0x26, 0x26, 0xfd, 0x6e, 0xfd, 0xff, 0x01},
	} {
		if keepsState(append(code, end...)) {
			t.Errorf("%s: one is taken for an instruction that keeps state", name)
		}
	}
	for name, code := range map[string][]byte{
		"table.set":   {0x26, 0x00},
		"data.drop":   {0xfc, 0x09, 0x00},
		"table.init":  {0xfc, 0x0c, 0x00, 0x00},
		"elem.drop":   {0xfc, 0x0d, 0x00},
		"table.copy":  {0xfc, 0x0e, 0x00, 0x00},
		"table.grow":  {0xfc, 0x0f, 0x00},
		"table.fill":  {0xfc, 0x11, 0x00},
		"what is cut": {0xfd, 0x0c, 1, 2},
	} {
		if !keepsState(append([]byte{0x41, 0x26}, code...)) {
			t.Errorf("%s is not found", name)
		}
	}
}
