package wasm

import (
	"bytes"
	le "encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/binary"
	"github.com/mcpctl/mcpctl/host/wasm/mapping"
	"github.com/mcpctl/mcpctl/plugins"
)

// skipWithoutMappings skips a test on systems that do not tell which pages were written.
func skipWithoutMappings(t *testing.T) {
	if !mapping.IsSupported() {
		t.Skip("this system has no mappings of guests")
	}
}

// TestRestoreMapping checks the law of mappings: whatever a guest has written, its memory is that
// of the image after it was restored, and only the written pages are looked at.
func TestRestoreMapping(t *testing.T) {
	skipWithoutMappings(t)
	const pages, grown = 40 * binary.PageBytes / 4096, 12
	r := rand.New(rand.NewPCG(1, 2))
	newSnapshot := func() *snapshot {
		start := make([]byte, pages*len(zeroPage))
		s := &snapshot{size: len(start)}
		s.uses.Store(1)
		for n := range pages {
			page := start[n*len(zeroPage):][:len(zeroPage)]
			if r.IntN(3) == 0 {
				page[r.IntN(len(page))] = 1
			}
		}
		if s.image = mapping.NewImage(start); s.image == nil {
			t.Fatal("no image")
		}
		t.Cleanup(s.release)
		for n := range pages {
			s.pages = append(s.pages, s.image.Bytes[n*len(zeroPage):][:len(zeroPage)])
		}
		return s
	}
	snapshots := []*snapshot{newSnapshot(), newSnapshot()}
	m := &memory{limit: 1 << 30, keep: true, pool: new(memoryPool)}
	defer m.Free()
	m.Reallocate(uint64(snapshots[0].size))
	if m.mapping == nil {
		t.Fatal("no mapping")
	}
	ever := make(map[int]bool) // written since the pages were last shared
	s, isShared := snapshots[0], false
	for step := range 500 {
		switch r.IntN(20) {
		case 0:
			s = snapshots[r.IntN(2)]
			if !m.mapping.Shares(s.image) {
				clear(ever)
			}
		case 1:
			if isShared {
				s.restoreMemory(m, s.size)
				m.mapping.Cool()
				clear(ever)
				if got := m.mapping.Written(s.size); len(got) > 0 {
					t.Fatalf("step %d: %d pages of its own after cool", step, len(got))
				}
			}
		}
		used := s.size
		if r.IntN(4) == 0 {
			used += (1 + r.IntN(grown)) * len(zeroPage)
			m.Reallocate(uint64(used))
			if i := bytes.IndexFunc(m.Bytes[s.size:], func(r rune) bool { return r != 0 }); i >= 0 {
				t.Fatalf("step %d: byte %d of what the memory grew by is not 0", step, i)
			}
		}
		for range r.IntN(6) {
			n := used/len(zeroPage) - 1 - r.IntN(2*grown)
			m.Bytes[n*len(zeroPage)+r.IntN(len(zeroPage))]++
			ever[n] = isShared
		}
		if m.mapping.Shares(s.image) {
			for _, n := range m.mapping.Written(used) {
				if n >= used/len(zeroPage) || n < pages && !ever[n] {
					t.Fatalf("step %d: page %d was not written", step, n)
				}
			}
		}
		m.Bytes = m.Bytes[:s.size]
		if !s.restoreMemory(m, used) || !bytes.Equal(m.Bytes, s.image.Bytes) {
			t.Fatalf("step %d: memory differs from the image", step)
		}
		isShared = true
	}
	m.Bytes[5]++
	m.Reallocate(maxPooled * 2)
	if m.mapping != nil || m.Bytes[5] != s.image.Bytes[5]+1 {
		t.Error("memory that outgrew its mapping is still there, or has lost its content")
	}
	m.Bytes = m.Bytes[:s.size]
	if s.restoreMemory(m, s.size); !bytes.Equal(m.Bytes, s.image.Bytes) {
		t.Error("memory that outgrew its mapping differs from the image")
	}
}

// TestIdleGuest verifies that a guest which waits for its next call has no page of its own, and
// still serves that call.
func TestIdleGuest(t *testing.T) {
	skipWithoutMappings(t)
	b := newBench(t, nil)
	s := (&script{noResult: true}).data(0, "hello")
	s.call("log", 1, 0, 5)
	m, g := starting(t, b, s.raw(i32const, 0, i32const, 'H', 0x3a, 0, 0).returns(abi.ReturnPass))
	run1(t, g, 0)
	for range 3 {
		out := run1(t, g, 0)
		if len(out.Log) != 1 || out.Log[0].Text != "hello" {
			t.Fatalf("log %q", out.Log)
		}
		i := peekSpare(t, b, m)
		if got := i.mem.mapping.Written(len(i.mem.Bytes)); !slices.Contains(got, 0) {
			t.Errorf("pages %v were written, want the first one among them", got)
		}
		m.coolSpare(m.spare.guest)
		if got := i.mem.mapping.Written(len(i.mem.Bytes)); len(got) != 0 {
			t.Errorf("an idle guest has pages %v", got)
		}
	}
}

// TestTrappedGuestIsReplaced verifies that the guest which replaces one that trapped shares its
// memory with the snapshot that exists.
func TestTrappedGuestIsReplaced(t *testing.T) {
	skipWithoutMappings(t)
	b := newBench(t, nil)
	s := (&script{noResult: true}).data(0, "hello")
	m, g := starting(t, b, s.raw(i32const, 0, i32const, 'H', 0x3a, 0, 0).raw(unreachable).returns(abi.ReturnPass))
	for range 3 {
		if _, err := g.Run(t.Context(), content("x")); err == nil {
			t.Fatal("it did not trap")
		}
		i := peekSpare(t, b, m)
		if image := m.spare.snapshot.image; image == nil || !i.mem.mapping.Shares(image) || !bytes.Equal(i.mem.Bytes, image.Bytes) {
			t.Error("its memory is not that of the snapshot")
		}
	}
}

// TestMappingInProcess verifies that a process which is confined to computing can share memory.
func TestMappingInProcess(t *testing.T) {
	skipWithoutMappings(t)
	b := newBench(t, func(o *Options) { isolate(t, o) })
	m, g := starting(t, b, (&script{noResult: true}).returns(abi.ReturnPass))
	run1(t, g, 0)
	run1(t, g, 0) // its guest was prepared by the first one
	p, err := m.remote.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer m.remote.release()
	var pid int
	if _, err := fmt.Sscanf(p.String(), "process %d", &pid); err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(maps, []byte("guest of mcpctl")) {
		t.Errorf("it shares no memory:\n%s", maps)
	}
}

// TestNoByteIsLeft calls a guest that writes its whole memory to the output, and then grows it,
// writes the new part to the output, fills parts of it, or traps, as the input says. Each call must see the memory of a new guest,
// wherever it runs and whatever other calls do at the same time.
func TestNoByteIsLeft(t *testing.T) {
	const pages, shown, ops = 20, 8, 16 * binary.PageBytes // the input is read to ops
	const load, fill, ifElse = 0x28, 0x0b, 0x04
	s := (&script{noResult: true, pages: pages}).data(0, "hello").data(pages*binary.PageBytes-5, "hello")
	s.call("out_write", 0, pages*binary.PageBytes)
	s.call("buf_read", 0, 0, ops, 20)
	value := func(n byte) { s.raw(i32const).raw(sleb(ops)...).raw(load, 2, 4*n) }
	value(0)
	s.raw(i32const, 1)
	value(1)
	s.raw(0xfc, fill, 0)
	value(2)
	s.raw(memoryGrow, 0, drop)
	value(2)
	s.raw(ifElse, voidBlock)
	s.call("out_write", pages*binary.PageBytes, shown*binary.PageBytes)
	s.raw(end)
	value(3)
	s.raw(i32const, 1, i32const).raw(sleb(5000)...).raw(0xfc, fill, 0)
	value(4)
	s.raw(ifElse, voidBlock, unreachable, end)
	file := s.returns(abi.ReturnDone).wasm()

	for name, setting := range map[string]struct{ trusted, isolated, noMappings bool }{
		"local": {}, "trusted": {trusted: true}, "in a process of its own": {isolated: true}, "without mappings": {noMappings: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(o *Options) {
				if setting.isolated {
					isolate(t, o)
				}
			})
			b.noMappings = setting.noMappings
			m, err := b.Load(t.Context(), "script", file, setting.trusted)
			if err != nil {
				t.Fatal(err)
			}
			g, err := m.Guest("script")
			if err != nil {
				t.Fatal(err)
			}
			const size = pages * binary.PageBytes
			clean := make([]byte, size+shown*binary.PageBytes)
			copy(clean, "hello")
			copy(clean[size-5:], "hello")
			var sessions sync.WaitGroup
			for session := range uint64(3) {
				sessions.Go(func() {
					r := rand.New(rand.NewPCG(session, 3))
					for call := range 150 {
						at, grown, want := r.IntN(size), 0, clean[:size]
						if r.IntN(3) > 0 {
							grown, want = shown+r.IntN(300), clean
						}
						filled := r.IntN(size + grown*binary.PageBytes - 5000)
						if grown > 0 && r.IntN(2) > 0 { // in the part that the next call outputs
							filled = size + r.IntN(shown*binary.PageBytes)
						}
						for _, start := range []*int{&at, &filled} {
							if *start < ops+20 && *start > ops-9000 { // not over the input
								*start = ops + 20
							}
						}
						var in []byte
						for _, v := range []int{at, min(r.IntN(9000), size-at), grown, filled, r.IntN(10) / 9} {
							in = le.LittleEndian.AppendUint32(in, uint32(v))
						}
						c := content(string(in))
						c.Context.Limits.OutputBytes = len(want)
						out, err := g.Run(t.Context(), c)
						if traps := in[16] == 1; traps != (err != nil) {
							t.Errorf("call %d: traps %v, got %v", call, traps, err)
						} else if !traps && !bytes.Equal(out.Bytes, want) {
							t.Errorf("call %d sees bytes of an earlier one", call)
						}
					}
				})
			}
			sessions.Wait()
		})
	}
}

// TestGrownMemoryIsCleared verifies that the memory of a guest which was started by a call, because
// the spare one served another call, is cleared before another guest gets it.
func TestGrownMemoryIsCleared(t *testing.T) {
	skipWithoutMappings(t)
	const pages, grown, fill = 20, 8, 0x0b
	b := newBench(t, nil)
	s := (&script{noResult: true, pages: pages}).raw(i32const, grown, memoryGrow, 0, drop)
	s.call("out_write", pages*binary.PageBytes, grown*binary.PageBytes)
	s.raw(i32const).raw(sleb(pages*binary.PageBytes)...).raw(i32const, 1, i32const).raw(sleb(5000)...).raw(0xfc, fill, 0)
	m, g := starting(t, b, s.returns(abi.ReturnDone))
	c := content("x")
	c.Context.Limits.OutputBytes = grown * binary.PageBytes
	for call := range 4 {
		out, err := g.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(out.Bytes, []byte{1}); n > 0 || len(out.Bytes) == 0 {
			t.Errorf("call %d sees %d bytes of an earlier one among %d", call, n, len(out.Bytes))
		}
		if busy := waiting(t, b, m); busy != nil {
			m.mu.Lock()
			m.spare.take()
			m.mu.Unlock()
			(<-busy).close()
		}
	}
}

// TestSnapshotsAreReleased verifies that calls which start guests at the same time leave one
// guest, which shares its memory with the snapshot, and nothing after the module has been idle.
func TestSnapshotsAreReleased(t *testing.T) {
	skipWithoutMappings(t)
	if testing.Short() {
		t.Skip("compiles the built-in stages")
	}
	before := countImages(t) // of modules of other tests
	b := newBench(t, nil)
	m, err := b.Load(t.Context(), "builtin", plugins.Builtin, true)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Guest("section-split")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		var sessions sync.WaitGroup
		for range 8 {
			sessions.Go(func() {
				for range 2 {
					if _, err := g.Run(t.Context(), content("text")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		sessions.Wait()
		if i := peekSpare(t, b, m); i.mem.mapping == nil || !i.mem.mapping.Shares(m.spare.snapshot.image) {
			t.Error("the guest that waits shares no memory")
		}
		m.closeSpare(waiting(t, b, m))
	}
	if n := countImages(t) - before; n > 0 {
		t.Errorf("%d images are left", n)
	}
}

// countImages returns the number of images that this process has open.
func countImages(t *testing.T) (n int) {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.Contains(to, "guest of mcpctl") {
			n++
		}
	}
	return n
}

// BenchmarkIdleGuest measures the memory of a guest that waits for its next call: the pages that it
// does not share, and the memory of the guest and its snapshot on the heap. After coolAfter it
// shares all pages.
func BenchmarkIdleGuest(b *testing.B) {
	for _, lang := range []string{"c", "rust", "assemblyscript", "go"} {
		b.Run(lang, func(b *testing.B) {
			const role = "upper-case"
			file, err := os.ReadFile("../../bench/languages/dist/" + role + "." + lang + ".wasm")
			if err != nil {
				b.Fatal(err)
			}
			m, err := newBench(b, nil).Load(b.Context(), role, file, false)
			if err != nil {
				b.Fatal(err)
			}
			g, err := m.Guest(role)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := g.Run(b.Context(), content(strings.Repeat("text\n", 200))); err != nil {
					b.Fatal(err)
				}
			}
			m.rt.background.Wait()
			before := heapBytes()
			m.mu.Lock()
			i := <-m.spare.guest
			if i.mem.mapping != nil {
				b.ReportMetric(float64(len(i.mem.mapping.Written(len(i.mem.Bytes)))*len(zeroPage))/1024, "KB-pages")
			}
			m.spare.guest <- i
			m.spare.close()
			m.mu.Unlock()
			b.ReportMetric(float64(before-heapBytes())/1024, "KB-heap")
		})
	}
}

func heapBytes() uint64 {
	runtime.GC()
	runtime.GC() // a sync.Pool keeps its values for one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
