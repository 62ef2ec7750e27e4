package wasm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/imports"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/plugins"
)

// peekSpare returns the prepared guest of a module.
func peekSpare(t *testing.T, b *bench, m *Module) *instance {
	t.Helper()
	coming := waiting(t, b, m)
	if coming == nil {
		t.Fatal("no guest is prepared")
	}
	i := <-coming
	coming <- i
	return i
}

// TestGuestIsReused verifies that a guest serves the next call, with the memory and globals
// of a new one.
func TestGuestIsReused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the built-in stages")
	}
	for name, trusted := range map[string]bool{"trusted": true, "local": false} {
		t.Run(name, func(t *testing.T) { testReuse(t, trusted, false) })
		t.Run(name+", without mappings", func(t *testing.T) { testReuse(t, trusted, true) })
	}
}

func testReuse(t *testing.T, trusted, noMappings bool) {
	b := newBench(t, nil)
	b.noMappings = noMappings
	m, err := b.Load(t.Context(), "builtin", plugins.Builtin, trusted)
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
		at := peekSpare(t, b, m)
		saved := m.spare.snapshot
		if first == nil {
			first = at
		}
		if at.inst != first.inst {
			t.Errorf("call %d: another guest is prepared", i)
		}
		want := bytes.Repeat([]byte{0xff}, saved.size)
		if saved.restoreMemory(&memory{Memory: imports.Memory{Bytes: want}}, len(want)); !bytes.Equal(at.mem.Bytes, want) {
			t.Errorf("call %d: memory differs from that of a new guest", i)
		}
		for n, v := range saved.globals {
			if got := at.inst.ExportedGlobal(module.GlobalName(n)).Get(); got != v {
				t.Errorf("call %d: global %d is %d, was %d", i, n, got, v)
			}
		}
	}
	if s := m.spare.snapshot; len(s.globals) == 0 {
		t.Error("no mutable globals in the snapshot")
	}
	m.closeSpare(waiting(t, b, m))
	if m.spare.snapshot != nil {
		t.Error("a module that is not used keeps a snapshot")
	}
}

// TestStackIsReused verifies that the engine's stack of 10 KB for an entry is allocated
// once.
func TestStackIsReused(t *testing.T) {
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
	for range 5 { // goroutines of another test may also allocate
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

// TestGrownGuestIsReused verifies that a guest whose memory has grown is given the memory of a
// new one: its size, and zeros where it grows again.
func TestGrownGuestIsReused(t *testing.T) {
	for _, pages := range []byte{0, 3} {
		for name, trusted := range map[string]bool{"trusted": true, "local": false} {
			t.Run(fmt.Sprintf("%s, %d pages", name, pages), func(t *testing.T) { testGrown(t, pages, trusted, false) })
			t.Run(fmt.Sprintf("%s, %d pages, without mappings", name, pages), func(t *testing.T) { testGrown(t, pages, trusted, true) })
		}
	}
}

func testGrown(t *testing.T, pages byte, trusted, noMappings bool) {
	const memorySize, ifElse, notEqual, load8, store8 = 0x3f, 0x04, 0x47, 0x2d, 0x3a
	const grownBy = 1 // 0 to 1 and 3 to 4 pages: the memory fills its size class of the pool
	at := sleb((int64(pages)+grownBy)*binary.PageBytes - 1)
	code := (&script{noResult: true}).
		raw(memorySize, 0, i32const, pages, notEqual, ifElse, voidBlock, unreachable, end).
		raw(i32const, grownBy, memoryGrow, 0, drop).
		raw(i32const).raw(at...).raw(load8, 0, 0, ifElse, voidBlock, unreachable, end).
		raw(i32const).raw(at...).raw(i32const, 1, store8, 0, 0).
		returns(abi.ReturnPass).wasm()
	code = bytes.Replace(code, sectionOf(binary.SectionMemory, []byte{1, 0, 3}), sectionOf(binary.SectionMemory, []byte{1, 0, pages}), 1)
	b := newBench(t, nil)
	b.noMappings = noMappings
	m, err := b.Load(t.Context(), "script", code, trusted)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("script")
	if err != nil {
		t.Fatal(err)
	}
	var first *instance
	for i := range 6 {
		if _, err := g.Run(t.Context(), content("x")); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		at := peekSpare(t, b, m)
		if first == nil {
			first = at
		}
		if at.inst != first.inst {
			t.Errorf("call %d: another guest is prepared", i)
		}
		if got := at.mem.Bytes; len(got) != int(pages)*binary.PageBytes || bytes.ContainsFunc(got[len(got):cap(got)], func(r rune) bool { return r != 0 }) {
			t.Errorf("call %d: %d bytes, or the rest is not cleared", i, len(got))
		}
	}
	pooled := make(map[*byte]bool) // a memory that is there twice is given to two guests
	for class := range b.memories {
		for {
			memory, ok := b.memories[class].Get().(*[]byte)
			if !ok {
				break
			}
			start := &(*memory)[:1][0]
			if pooled[start] || start == &first.mem.Bytes[:1][0] {
				t.Error("the memory of a guest is in the pool, or twice in it")
			}
			pooled[start] = true
		}
	}
}

// TestGuestIsNotReused checks guests that cannot be restored from a snapshot.
func TestGuestIsNotReused(t *testing.T) {
	leak, err := os.ReadFile(filepath.Join(hostileDir, "leak.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	for rule, file := range map[string][]byte{
		"after a trap":                     new(script).raw(0x00).returns(abi.ReturnPass).wasm(),
		"with memory that has grown a lot": new(script).raw(i32const).raw(sleb(maxGrown/binary.PageBytes+1)...).raw(memoryGrow, 0, drop).returns(abi.ReturnPass).wasm(),
		"of a module that changes tables":  leak,
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
				at := peekSpare(t, b, m)
				if before != nil && at.inst == before.inst {
					t.Error("the guest is reused")
				}
				before = at
			}
		})
	}
}
