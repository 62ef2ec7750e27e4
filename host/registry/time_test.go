package registry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcpctl/mcpctl/abi"
)

// bubble runs a test with fake time, using a home that is created outside the bubble.
func bubble(t *testing.T, f func(t *testing.T, h *home)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := newHome(t, Options[*fakeModule]{Home: dir, Wait: bubbleWait})
		defer h.close()
		synctest.Wait()
		f(t, h)
	})
}

// after advances fake time by d.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestEventsAreDebounced(t *testing.T) {
	bubble(t, func(t *testing.T, h *home) {
		h.write("stages/mine.wasm", "ok mine:stage.")
		for range 3 {
			h.event("stages/mine.wasm")
			after(debounce - time.Millisecond)
		}
		if h.loader.count() != 1 {
			t.Error("loaded while events were still coming")
		}
		after(time.Millisecond)
		if h.loader.count() != 2 {
			t.Error("not loaded after the last event")
		}
	})
}

// A file that is written continuously is loaded after debounceMost.
func TestDelayIsBoundedDuringContinuousEvents(t *testing.T) {
	bubble(t, func(t *testing.T, h *home) {
		h.write("stages/mine.wasm", "ok mine:stage.")
		for range 11 {
			h.event("stages/mine.wasm")
			after(debounce / 2)
		}
		if h.loader.count() != 2 {
			t.Error("never loaded")
		}
	})
}

func TestPollFindsChangesWithoutEvents(t *testing.T) {
	bubble(t, func(t *testing.T, h *home) {
		drain(h)
		h.write("stages/mine.wasm", "ok mine:stage.")
		h.write("servers/files.yaml", "kind: Server")
		after(pollEvery)
		if h.loader.count() != 2 {
			t.Error("module not found")
		}
		if got := drain(h); got != "servers stages" && got != "stages servers" {
			t.Errorf("changes: %q", got)
		}
	})
}

// The system has no watches left, or the file system does not support them.
func TestPollIsFasterWithoutWatcher(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		deaf := newFakeSource()
		deaf.addErr = errors.New("no space left on device")
		h := newHome(t, Options[*fakeModule]{Home: dir, source: deaf})
		defer h.close()
		synctest.Wait()
		h.write("stages/mine.wasm", "ok mine:stage.")
		after(pollBlind)
		h.want("mine", local("ok mine:stage."))
	})
}

func TestOverflowChecksAllDirectories(t *testing.T) {
	bubble(t, func(t *testing.T, h *home) {
		drain(h)
		h.write("stages/mine.wasm", "ok mine:stage.")
		h.write("proxymodels/m.yaml", "kind: ProxyModel")
		h.source.errors <- fsnotify.ErrEventOverflow
		synctest.Wait()
		if got := drain(h); h.loader.count() != 2 || !strings.Contains(got, "proxymodels") {
			t.Errorf("%d loads, changes %q", h.loader.count(), got)
		}
	})
}

// drain receives all pending changes and returns their directories.
func drain(h *home) string {
	var dirs []string
	for {
		synctest.Wait()
		select {
		case c := <-h.Changes():
			dirs = append(dirs, c.Dir)
		default:
			return strings.Join(dirs, " ")
		}
	}
}

// Changes reports a directory if its contents changed, not for new modification
// times or temporary files of editors.
func TestChangesOfObjects(t *testing.T) {
	mkdir := func(path string) func(h *home) {
		return func(h *home) {
			if err := os.Mkdir(filepath.Join(h.dir, path), 0o700); err != nil {
				h.t.Error(err)
			}
		}
	}
	write := func(path, text string) func(h *home) { return func(h *home) { h.write(path, text) } }
	tests := []struct {
		rule  string
		do    func(h *home)
		event string
		want  string
	}{
		{"new file", write("servers/a.yaml", "1"), "servers/a.yaml", "servers"},
		{"same content", write("servers/a.yaml", "1"), "servers/a.yaml", ""},
		{"other content", write("servers/a.yaml", "2"), "servers/a.yaml", "servers"},
		{"other time", func(h *home) {
			_ = os.Chtimes(filepath.Join(h.dir, "servers/a.yaml"), time.Time{}, time.Unix(1, 0))
		}, "servers/a.yaml", ""},
		{"removed", func(h *home) { h.remove("servers/a.yaml") }, "servers/a.yaml", "servers"},
		{"vim's swap file", write("servers/.a.yaml.swp", "x"), "servers/.a.yaml.swp", ""},
		{"vim's probe", write("servers/4913", "x"), "servers/4913", ""},
		{"backup", write("servers/a.yaml~", "x"), "servers/a.yaml~", ""},
		{"directory in prompts", mkdir("prompts/home"), "prompts/home", ""},
		{"prompt of a project", write("prompts/home/p.md", "text"), "prompts/home/p.md", "prompts"},
		{"settings", write("config.yaml", "x"), "config.yaml", "."},
		{"other file of the home", write("notes", "x"), "notes", ""},
		{"new directory", func(h *home) {
			h.remove("projects")
			h.rescan()
			_ = drain(h)
			mkdir("projects")(h)
			h.write("projects/home.yaml", "kind: Project")
		}, "projects", "projects"},
		{"a FIFO among objects", func(h *home) { mkfifo(h.t, filepath.Join(h.dir, "projects/fifo.yaml")) }, "projects/fifo.yaml", "projects"},
		{"stages", write("stages/x.wasm", "ok x:stage."), "stages/x.wasm", "stages"},
		{"stages, same content", write("stages/x.wasm", "ok x:stage."), "stages/x.wasm", ""},
	}
	bubble(t, func(t *testing.T, h *home) {
		h.rescan()
		drain(h)
		for _, tt := range tests {
			tt.do(h)
			h.event(tt.event)
			after(debounce)
			if got := drain(h); got != tt.want {
				t.Errorf("%s: changes %q, want %q", tt.rule, got, tt.want)
			}
		}
	})
}

func TestPreviousVersionServesDuringCompilation(t *testing.T) {
	bubble(t, func(t *testing.T, h *home) {
		one, two, three := "ok mine:stage v:1.", "ok mine:stage v:2.", "ok mine:stage v:3."
		h.write("stages/mine.wasm", one)
		h.rescan()
		let := h.loader.holdBack("mine")
		h.write("stages/mine.wasm", two)
		h.event("stages/mine.wasm")
		after(debounce)
		h.want("mine", local(one))
		h.wantStatus("mine", "local compiling")
		h.write("stages/mine.wasm", three) // while version 2 is still compiling
		h.event("stages/mine.wasm")
		after(debounce)
		let()
		synctest.Wait()
		h.want("mine", local(three))
		h.wantStatus("mine", "local untrusted")
	})
}

// Acquire waits for the initial loads, and for an unknown role while a file is being
// loaded, at most Options.Wait.
func TestCallsWaitForModules(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLoader{}
		letBuiltin, letSlow := l.holdBack("builtin"), l.holdBack("slow")
		h := newHome(t, Options[*fakeModule]{Home: dir, Wait: bubbleWait, Loader: l})
		defer h.close()
		synctest.Wait()
		h.wantStatus("builtin", "built-in compiling")
		type answer struct {
			err  error
			took time.Duration
		}
		ask := func(role string) chan answer {
			c := make(chan answer, 1)
			begin := time.Now()
			go func() {
				_, release, err := h.Acquire(context.Background(), role)
				if err == nil {
					release()
				}
				c <- answer{err, time.Since(begin)}
			}()
			return c
		}
		waits := ask("head")
		after(time.Second)
		letBuiltin()
		if a := <-waits; a.err != nil || a.took != time.Second {
			t.Errorf("built-in: %+v", a)
		}
		h.write("stages/slow.wasm", "ok slow:stage.")
		h.event("stages/slow.wasm")
		after(debounce)
		if a := <-ask("head"); a.err != nil || a.took != 0 {
			t.Errorf("a known role waits for another file: %+v", a)
		}
		if a := <-ask("slow"); !errors.Is(a.err, abi.ErrUnavailable) || a.took != bubbleWait || !strings.Contains(a.err.Error(), "stages/slow.wasm") {
			t.Errorf("timeout: %+v", a)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, _, err := h.Acquire(ctx, "slow"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("caller gave up: %v", err)
		}
		waits = ask("slow")
		after(2 * time.Second)
		letSlow()
		if a := <-waits; a.err != nil || a.took != 2*time.Second {
			t.Errorf("loaded before the timeout: %+v", a)
		}
	})
}

// A file that compiles for a minute delays only the first calls, at most Options.Wait.
func TestWaitForInitialLoadsIsBounded(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, stagesDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, stagesDir, "slow.wasm"), []byte("ok slow:stage."), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLoader{}
		let := l.holdBack("slow")
		h := newHome(t, Options[*fakeModule]{Home: dir, Wait: bubbleWait, Loader: l})
		defer h.close()
		begin := time.Now()
		h.want("head", builtin(builtinFile))
		if took := time.Since(begin); took != bubbleWait {
			t.Errorf("first call waited %v", took)
		}
		h.want("head", builtin(builtinFile))
		if took := time.Since(begin); took != bubbleWait {
			t.Errorf("second call waited too, %v in total", took)
		}
		let()
		synctest.Wait()
		h.want("slow", local("ok slow:stage."))
	})
}

func TestUnavailableLoadIsRetried(t *testing.T) {
	bubble(t, func(t *testing.T, h *home) {
		h.mu.Lock()
		h.slot("mine", "mine.wasm").err = abi.ErrUnavailable
		h.slot("mine", "mine.wasm").want = full("ok mine:stage.")
		h.mu.Unlock()
		h.write("stages/mine.wasm", "ok mine:stage.")
		after(pollEvery)
		h.want("mine", local("ok mine:stage."))
	})
}

// A reload tries a built-in module again after an error that may pass.
func TestUnavailableBuiltinIsRetried(t *testing.T) {
	bubble(t, func(t *testing.T, h *home) {
		for _, err := range []error{abi.ErrGuest, abi.ErrUnavailable} {
			before := h.loader.count()
			h.mu.Lock()
			s := h.slot("builtin", "")
			h.retire(s.current)
			s.current, s.err = nil, err
			h.mu.Unlock()
			if err := h.Rescan(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := 0
			if errors.Is(err, abi.ErrUnavailable) {
				want = 1
			}
			if got := h.loader.count() - before; got != want {
				t.Errorf("after %v: loaded %d times, want %d", err, got, want)
			}
		}
	})
}
