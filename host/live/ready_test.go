package live

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/llm"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/store"
)

// compilingModules are modules that are loaded one role at a time by load.
type compilingModules struct {
	mu      sync.Mutex
	roles   []string
	changed chan struct{}
	all     chan struct{}
}

func (m *compilingModules) load(role string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roles = append(m.roles, role)
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *compilingModules) Lookup(name string) (abi.Role, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return abi.Role{Name: name, Kind: abi.KindFilter}, slices.Contains(m.roles, name)
}

func (m *compilingModules) Status() (rows []registry.Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, role := range m.roles {
		rows = append(rows, registry.Status{Name: role, Kind: abi.KindFilter, Hash: "hash of " + role})
	}
	return rows
}

func (m *compilingModules) Rescan(context.Context) error { <-m.all; return nil }

func (m *compilingModules) WaitForRoles(_ context.Context, roles []string) error {
	for _, role := range roles {
		for {
			_, ok := m.Lookup(role)
			if ok {
				break
			}
			m.mu.Lock()
			changed := m.changed
			m.mu.Unlock()
			select {
			case <-changed:
			case <-m.all:
				return nil
			}
		}
	}
	return nil
}

// openConfig returns a Config of a home with these files. No module is loaded.
func openConfig(t *testing.T, files map[string]string) (*Config, *compilingModules) {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	objects, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { objects.Close() })
	m := &compilingModules{changed: make(chan struct{}), all: make(chan struct{})}
	log := slog.New(slog.DiscardHandler)
	c := New(Options{Home: homedir.Dir(dir), Log: log, Store: objects, Modules: m, LLM: llm.Open(llm.Options{Home: dir}), Events: event.New(event.Options{}),
		Failures: failure.NewLog(log, nil), Life: t.Context(), Load: func() {}, Changed: func() {}})
	c.Reload()
	go c.LoadModules(t.Context())
	return c, m
}

const (
	filteredModel   = "kind: ProxyModel\nmetadata: {name: m}\nspec: {controller: none, stages: [{type: mine}]}\n"
	filteredProject = "kind: Project\nmetadata: {name: home}\nspec: {servers: [], proxyModel: m}\n"
)

// A session waits for the modules of its project, but not for others that are being compiled.
func TestReadyForWaitsForOwnModules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, modules := openConfig(t, map[string]string{"proxymodels/m.yaml": filteredModel, "projects/home.yaml": filteredProject})
		ready := make(chan error, 1)
		go func() { ready <- c.ReadyFor(t.Context(), "home") }()
		modules.load("other")
		synctest.Wait()
		select {
		case err := <-ready:
			t.Fatalf("ready before its module is loaded: %v", err)
		default:
		}
		modules.load("mine")
		if err := <-ready; err != nil {
			t.Fatal(err)
		}
		s := c.State()
		if !s.Early || !s.isValid("home") || s.filters["home"] == "" {
			t.Errorf("early %v, valid %v, filters %q", s.Early, s.isValid("home"), s.filters["home"])
		}
		close(modules.all)
	})
}

// A role that no module of those being compiled has may be in any of them.
func TestReadyForInvalidProjectWaitsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, modules := openConfig(t, map[string]string{"proxymodels/m.yaml": filteredModel, "projects/home.yaml": filteredProject})
		ready := make(chan error, 1)
		go func() { ready <- c.ReadyFor(t.Context(), "home") }()
		synctest.Wait()
		close(modules.all)
		if err := <-ready; err != nil {
			t.Fatal(err)
		}
		if s := c.State(); s.Early || s.isValid("home") {
			t.Errorf("early %v, valid %v", s.Early, s.isValid("home"))
		}
	})
}
