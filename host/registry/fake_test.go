package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcpctl/mcpctl/abi"
)

// fakeLoader accepts files of the form "ok ROLE[:KIND[:LLM]]... [v:N]." as modules
// with these roles. A file without the final dot is truncated and therefore invalid.
type fakeLoader struct {
	mu     sync.Mutex
	hold   map[string]chan struct{} // by module name; Load waits until it is closed
	loads  []string                 // "name trusted"
	urgent map[string]func() bool   // by module name: Source.IsUrgent
	open   atomic.Int32             // modules that are not closed
	ended  atomic.Int32             // loads that their context has ended
}

type fakeModule struct {
	loader   *fakeLoader
	hash     string
	manifest abi.Manifest
	closed   atomic.Bool
}

func (l *fakeLoader) Load(ctx context.Context, src Source) (*fakeModule, error) {
	name, trusted := src.Name, src.Trusted
	file, err := src.File.Read()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.loads = append(l.loads, fmt.Sprint(name, " ", trusted))
	if l.urgent == nil {
		l.urgent = make(map[string]func() bool)
	}
	l.urgent[name] = src.IsUrgent
	hold := l.hold[name]
	l.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			l.ended.Add(1)
			return nil, ctx.Err()
		}
	}
	text, whole := strings.CutSuffix(string(file), ".")
	words := strings.Fields(text)
	switch {
	case strings.HasPrefix(text, "panic"):
		panic("in the loader")
	case !whole || len(words) < 2 || words[0] != "ok":
		return nil, fmt.Errorf("%w: module %q: ends inside the code section", abi.ErrGuest, name)
	}
	sum := sha256.Sum256(file)
	m := &fakeModule{loader: l, hash: hex.EncodeToString(sum[:]), manifest: abi.Manifest{Name: name, ABI: "1.0"}}
	for _, w := range words[1:] {
		parts := append(strings.Split(w, ":"), "", "")
		if parts[0] != "v" {
			m.manifest.Roles = append(m.manifest.Roles, abi.Role{Name: parts[0], Kind: abi.RoleKind(parts[1]), LLM: parts[2]})
		}
	}
	l.open.Add(1)
	return m, nil
}

// holdBack blocks loads of a module until the returned function is called.
func (l *fakeLoader) holdBack(name string) (let func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := make(chan struct{})
	if l.hold == nil {
		l.hold = make(map[string]chan struct{})
	}
	l.hold[name] = c
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.hold, name)
		close(c)
	}
}

// isUrgent reports whether a module is loaded as one that a call waits for.
func (l *fakeLoader) isUrgent(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.urgent[name] != nil && l.urgent[name]()
}

func (l *fakeLoader) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.loads)
}

func (m *fakeModule) Hash() string           { return m.hash }
func (m *fakeModule) Manifest() abi.Manifest { return m.manifest }

func (m *fakeModule) Close(context.Context) error {
	if m.closed.Swap(true) {
		return fmt.Errorf("closed twice")
	}
	m.loader.open.Add(-1)
	return nil
}

// fakeSource is a source whose events are sent by the test.
type fakeSource struct {
	events chan fsnotify.Event
	errors chan error
	addErr error
}

func newFakeSource() *fakeSource {
	return &fakeSource{events: make(chan fsnotify.Event, 100), errors: make(chan error, 1)}
}

func (s *fakeSource) Add(string) error              { return s.addErr }
func (s *fakeSource) Events() <-chan fsnotify.Event { return s.events }
func (s *fakeSource) Errors() <-chan error          { return s.errors }
func (s *fakeSource) Close() error                  { return nil }

// home is a registry with a temporary home directory.
type home struct {
	t      testing.TB
	dir    string
	loader *fakeLoader
	source *fakeSource
	*Registry[*fakeModule]
}

const builtinFile = "ok head:stage:optional paginate:stage gate:controller."

func newHome(t testing.TB, o Options[*fakeModule]) *home {
	t.Helper()
	h := &home{t: t, dir: o.Home, loader: &fakeLoader{}, source: newFakeSource()}
	if h.dir == "" {
		h.dir = t.TempDir()
	}
	for _, dir := range append(objectDirs, stagesDir) {
		if err := os.MkdirAll(filepath.Join(h.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if o.Loader == nil {
		o.Loader = h.loader
	} else {
		h.loader = o.Loader.(*fakeLoader)
	}
	if o.source == nil {
		o.source = h.source
	}
	o.Home = h.dir
	if o.Builtins == nil {
		o.Builtins = []Builtin{{"builtin", []byte(builtinFile)}}
	}
	r, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	h.Registry = r
	t.Cleanup(func() { h.close() })
	return h
}

func (h *home) close() {
	h.t.Helper()
	if err := h.Close(context.Background()); err != nil {
		h.t.Error(err)
	}
	if n := h.loader.open.Load(); n != 0 {
		h.t.Errorf("%d modules left open", n)
	}
}

// write replaces a file atomically: it writes a temporary file and renames it.
func (h *home) write(path, text string) {
	h.t.Helper()
	path = filepath.Join(h.dir, path)
	if err := os.WriteFile(path+".tmp", []byte(text), 0o600); err != nil {
		h.t.Error(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		h.t.Error(err)
	}
}

func (h *home) remove(path string) {
	h.t.Helper()
	if err := os.RemoveAll(filepath.Join(h.dir, path)); err != nil {
		h.t.Error(err)
	}
}

func (h *home) rescan() {
	h.t.Helper()
	if err := h.Rescan(context.Background()); err != nil {
		h.t.Error(err)
	}
}

// event sends the watcher an event for a path.
func (h *home) event(path string) {
	h.source.events <- fsnotify.Event{Name: filepath.Join(h.dir, path), Op: fsnotify.Write}
}

// serves returns the provider of a role as "source: hash", or the error of Acquire.
func (h *home) serves(role string) string {
	h.t.Helper()
	handle, release, err := h.Acquire(context.Background(), role)
	if err != nil {
		return err.Error()
	}
	defer release()
	if handle.Module.closed.Load() {
		h.t.Error("a closed module was handed out")
	}
	return handle.Source + ": " + handle.Hash[:8]
}

func local(text string) string   { return SourceLocal + ": " + short(text) }
func builtin(text string) string { return SourceBuiltin + ": " + short(text) }

func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:8]
}

func full(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (h *home) want(role, want string) {
	h.t.Helper()
	if got := h.serves(role); got != want {
		h.t.Errorf("role %s: got %s, want %s", role, got, want)
	}
}

// wantStatus compares the row of a role: "source state: why".
func (h *home) wantStatus(name, want string) {
	h.t.Helper()
	var got []string
	for _, s := range h.Status() {
		if s.Name == name {
			got = append(got, s.Source+" "+s.String())
		}
	}
	if text := strings.Join(got, "; "); text != want {
		h.t.Errorf("status of %s:\n got %s\nwant %s", name, text, want)
	}
}

const bubbleWait = 5 * time.Second // Options.Wait in tests with fake time
