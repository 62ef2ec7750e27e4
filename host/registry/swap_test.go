package registry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// No call fails during 200 swaps under load, with the real watcher.
func TestSwapsUnderLoad(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{source: realSource(t)})
	version := func(n int) string { return fmt.Sprintf("ok mine:stage v:%d.", n) }
	h.write("stages/mine.wasm", version(0))
	h.rescan()
	stop, swapped := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	var calls [4]int
	for g := range calls {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				handle, release, err := h.Acquire(context.Background(), "mine")
				if err != nil {
					t.Error(err)
					return
				}
				if handle.Module.closed.Load() {
					t.Error("a closed module was handed out")
				}
				if g == 0 { // a long call that spans a swap
					select {
					case <-swapped:
					case <-stop:
					}
				}
				if handle.Module.closed.Load() {
					t.Error("module closed during a call")
				}
				release()
				calls[g]++
			}
		})
	}
	for n := 1; n <= 200; n++ {
		h.write("stages/mine.wasm", version(n))
		if n%10 == 0 {
			h.write("stages/mine.wasm", "ok mine:sta") // a partly written file
		}
		h.rescan()
		if n%10 != 0 {
			h.want("mine", local(version(n)))
		}
		select {
		case swapped <- struct{}{}:
		default:
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("%v calls during 200 swaps", calls)
}

// Events of the real file system suffice to load a new file. The maximum delay is
// tested with fake time.
func TestRealWatcher(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{source: realSource(t)})
	h.rescan()
	begin := time.Now()
	h.write("stages/mine.wasm", "ok mine:stage.")
	for h.serves("mine") != local("ok mine:stage.") {
		expect(t, h, stagesDir)
	}
	t.Logf("active after %v", time.Since(begin))
}

// expect waits for a change of a directory.
func expect(t *testing.T, h *home, dir string) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case c := <-h.Changes():
			if c.Dir == dir {
				return
			}
		case <-limit:
			t.Fatalf("no change of %s", dir)
		}
	}
}

func realSource(t *testing.T) source {
	t.Helper()
	w, err := openNotifier()
	if err != nil {
		t.Skip(err)
	}
	return w
}

func TestNewDirectoriesAreWatched(t *testing.T) {
	h := newHome(t, Options[*fakeModule]{source: realSource(t)})
	for _, dir := range []string{"servers", "prompts"} {
		h.remove(dir)
	}
	h.rescan()
	if err := os.MkdirAll(filepath.Join(h.dir, "prompts", "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.write("prompts/home/p.md", "one")
	expect(t, h, "prompts")
	h.write("prompts/home/p.md", "two")
	expect(t, h, "prompts")
	if err := os.Mkdir(filepath.Join(h.dir, "servers"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.write("servers/s.yaml", "one")
	expect(t, h, "servers")
}

func TestOpenFailsWithoutHome(t *testing.T) {
	if r, err := Open(t.Context(), Options[*fakeModule]{Home: filepath.Join(t.TempDir(), "missing"), Loader: &fakeLoader{}}); err == nil {
		_ = r.Close(t.Context())
		t.Error("no error for a missing home")
	}
}

func BenchmarkAcquire(b *testing.B) {
	h := newHome(b, Options[*fakeModule]{})
	h.rescan()
	h.serves("head") // waits for the initial loads
	b.ReportAllocs()
	for b.Loop() {
		_, release, err := h.Acquire(context.Background(), "head")
		if err != nil {
			b.Fatal(err)
		}
		release()
	}
}
