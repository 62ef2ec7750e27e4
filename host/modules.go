package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/pipeline"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/transform"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/plugins"
)

// loader loads the files of modules for the registry.
type loader struct {
	runtime *wasm.Runtime
	reading chan struct{} // has room for the files that claimedRoles reads at the same time
}

func newLoader(r *wasm.Runtime) loader { return loader{r, make(chan struct{}, 2)} }

// Load implements registry.Loader.
func (l loader) Load(ctx context.Context, s registry.Source) (loadedModule, error) {
	m, err := l.runtime.LoadFile(ctx, wasm.Source{Name: s.Name, Hash: s.File.Hash, Read: s.File.Read, Trusted: s.Trusted, IsUrgent: s.IsUrgent})
	if err != nil {
		return loadedModule{}, err
	}
	return loadedModule{m}, nil
}

// claimedRoles returns the roles that a file can have, if it can be read. It is not read if it
// loads as fast.
func (l loader) claimedRoles(name string, f registry.File, loads bool) []string {
	if loads && l.runtime.IsPrepared(name, f.Hash) {
		return nil
	}
	l.reading <- struct{}{}
	defer func() { <-l.reading }()
	content, err := f.Read()
	if err != nil {
		return nil
	}
	m, err := module.ReadManifest(content)
	if err != nil {
		return []string{name} // of the default manifest, if it has no other
	}
	var roles []string
	for _, r := range m.Roles {
		roles = append(roles, r.Name)
	}
	return roles
}

// loadedModule implements registry.Module with a wasm.Module.
type loadedModule struct {
	*wasm.Module
}

// Close implements registry.Module.
func (m loadedModule) Close(context.Context) error { return m.Module.Close() }

// guestValues implements wasm.KV: it stores the values of guests in the cache.
type guestValues struct{ cache *cache.Cache }

// newKV returns the cache for guests, nil offline.
func newKV(c *cache.Cache) wasm.KV {
	if c == nil {
		return nil
	}
	return guestValues{c}
}

func (g guestValues) values(ns wasm.Namespace) *cache.KV {
	return g.cache.KV(flow.Producer{ModuleHash: ns.Module, Role: ns.Role, Project: ns.Project}, ns.Config[:])
}

// Get implements wasm.KV.
func (g guestValues) Get(ns wasm.Namespace, key []byte) ([]byte, bool) { return g.values(ns).Get(key) }

// Set implements wasm.KV.
func (g guestValues) Set(ns wasm.Namespace, key, value []byte) error {
	return g.values(ns).Set(key, value)
}

// newResultCache returns the cache for the pipeline, nil offline.
func newResultCache(c *cache.Cache) pipeline.Cache {
	if c == nil {
		return nil
	}
	return c
}

// stages implements transform.Modules with the registry. The lab uses it too.
type stages struct {
	*registry.Registry[loadedModule]
}

// Stage implements transform.Modules.
func (s stages) Stage(ctx context.Context, role string) (transform.Stage, func(), error) {
	handle, release, err := s.Acquire(ctx, role)
	if err != nil {
		return transform.Stage{}, nil, err
	}
	m := handle.Module
	guest, err := m.Guest(role)
	if err != nil {
		release()
		return transform.Stage{}, nil, err
	}
	return transform.Stage{Runner: guest, Role: handle.Role, Index: handle.Index, ModuleHash: handle.Hash, Language: m.Info().Language}, release, nil
}

// builtins are the modules that are part of the program.
var builtins = []registry.Builtin{{Name: "builtin", File: plugins.Builtin}, {Name: "controllers", File: plugins.Controllers}}

// builtinRoles returns the roles of the built-in modules and reads them once. A
// module that cannot be read has no roles.
var builtinRoles = sync.OnceValue(func() (roles []abi.Role) {
	for _, b := range builtins {
		if m, err := module.ReadManifest(b.File); err == nil {
			roles = append(roles, m.Roles...)
		}
	}
	return roles
})

// BuiltinRole returns a role of the built-in modules.
func BuiltinRole(name string) (abi.Role, bool) {
	for _, r := range builtinRoles() {
		if r.Name == name {
			return r, true
		}
	}
	return abi.Role{}, false
}

// BuiltinModule returns the module of a built-in role.
func BuiltinModule(role string) ([]byte, bool) {
	for _, b := range builtins {
		m, err := module.ReadManifest(b.File)
		if err != nil {
			continue
		}
		if _, ok := m.Role(role); ok {
			return b.File, true
		}
	}
	return nil, false
}

// BuiltinHash returns a SHA-256 over the built-in modules.
func BuiltinHash() string {
	h := sha256.New()
	for _, b := range builtins {
		h.Write(b.File)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readStage reads the file of a local module.
func readStage(home homedir.Dir, name string) ([]byte, error) {
	f, err := os.Open(filepath.Join(home.Stages(), filepath.Base(name)+".wasm"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, abi.LimitModuleBytes+1))
}
