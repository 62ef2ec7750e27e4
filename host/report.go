package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/content"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/metrics"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/pool"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/upstream"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Home is the folder of the Host.
func (h *Host) Home() homedir.Dir { return h.opts.Home }

// Snapshot is the objects in force.
func (h *Host) Snapshot() *store.Snapshot { return h.state.Load().snapshot }

// Apply writes objects and returns once they are in force. On abi.ErrConflict what
// is on disk is in force, so that the caller can read it and try again.
func (h *Host) Apply(objects []object.Object, opt store.ApplyOptions) ([]store.Change, error) {
	changes, err := h.store.Apply(objects, opt)
	if err == nil && !opt.DryRun || errors.Is(err, abi.ErrConflict) {
		h.reload()
		h.endpoint.Refresh("")
	}
	return changes, err
}

// Delete removes an object and returns once it is gone.
func (h *Host) Delete(key object.Key) (store.Deletion, error) {
	d, err := h.store.Delete(key)
	if err == nil {
		h.reload()
		h.endpoint.Refresh("")
	}
	return d, err
}

// DeleteStage removes the file of a local stage; a built-in of its name serves
// again.
//
// Errors: abi.ErrNotFound, abi.ErrDenied for a built-in.
func (h *Host) DeleteStage(ctx context.Context, name string) error {
	if err := h.modules.Rescan(ctx); err != nil {
		return err
	}
	builtIn := false
	for _, st := range h.modules.Status() {
		if st.Name != name {
			continue
		}
		if st.Source == registry.SourceBuiltin {
			builtIn = true // a file of the name may come after it
			continue
		}
		if err := os.Remove(filepath.Join(h.opts.Home.Stages(), filepath.Base(st.File))); err != nil {
			return err
		}
		return h.Reload(ctx)
	}
	if builtIn {
		return fmt.Errorf("%w: stage %q is built in: it is part of the program, a local module can only hide it", abi.ErrDenied, name)
	}
	return fmt.Errorf("%w: stage %q", abi.ErrNotFound, name)
}

// Reload reads everything on disk anew and returns once it is in force.
func (h *Host) Reload(ctx context.Context) error {
	if err := h.modules.Rescan(ctx); err != nil {
		return err
	}
	h.reload()
	h.transformer.ForgetShown()
	h.endpoint.Refresh("")
	return nil
}

// Stages lists the roles, as far as they are loaded; it waits for the first load.
func (h *Host) Stages(ctx context.Context) ([]registry.Status, error) {
	if err := h.ready(ctx); err != nil {
		return nil, err
	}
	return h.modules.Status(), nil
}

// StageFailure is how a role failed last in live traffic, if it did since the
// module of that hash was loaded.
func (h *Host) StageFailure(role, hash string) (failure.Record, bool) {
	return h.failures.Last(role, hash)
}

// Role returns the role that is in force under a name, and its module.
func (h *Host) Role(ctx context.Context, name string) (abi.Role, module.Info, error) {
	handle, release, err := h.modules.Acquire(ctx, name)
	if err != nil {
		return abi.Role{}, module.Info{}, h.unknownStage(name, err)
	}
	defer release()
	return handle.Role, handle.Module.Info(), nil
}

// Model returns a proxymodel made ready; it waits for the first load.
func (h *Host) Model(ctx context.Context, name string) (*proxymodel.Model, error) {
	if err := h.ready(ctx); err != nil {
		return nil, err
	}
	return h.state.Load().plan.Model(name)
}

// Sessions is how many sessions are open.
func (h *Host) Sessions() int { return h.endpoint.Sessions("") }

// ToolNames is the name table of a project, as far as its servers have been
// listed; nil for a project that does not exist.
func (h *Host) ToolNames(project string) []proxy.ToolName {
	p, ok := h.state.Load().projects[project]
	if !ok {
		return nil
	}
	return h.endpoint.ToolNames("", p)
}

// Instructions are what a session of a project would be told at its start, as far as
// its servers have been heard; it waits for the first load of modules.
//
// Errors: abi.ErrNotFound for a project that does not exist.
func (h *Host) Instructions(ctx context.Context, project string) (proxy.Instructions, error) {
	if err := h.ready(ctx); err != nil {
		return proxy.Instructions{}, err
	}
	p, err := h.Project(project)
	if err != nil {
		return proxy.Instructions{}, err
	}
	return h.endpoint.Instructions(ctx, "", p), nil
}

// Upstreams returns the state of each connection to a server.
func (h *Host) Upstreams(server string) []upstream.State { return h.pool.States(server) }

// ServerLog returns the log lines of a server after the line with this ID.
func (h *Host) ServerLog(server string, after int64) []upstream.Line {
	return h.pool.Journal(server).Since(after)
}

// RestartServer restarts the connections of all sessions to a server and returns their
// number once they are ready.
//
// Errors: abi.ErrUnavailable if one is not ready in time.
func (h *Host) RestartServer(ctx context.Context, server string) (int, error) {
	return h.pool.Restart(ctx, server)
}

// ProbeServer starts a server, lists its tools and ends it; see pool.Probe. It works
// offline too.
//
// Errors: abi.ErrNotFound for an unknown server; otherwise the reason why it does not
// start or does not list its tools.
func (h *Host) ProbeServer(ctx context.Context, name string) (tools []string, err error) {
	if _, ok := h.Snapshot().Server(object.Name(name)); !ok {
		return nil, fmt.Errorf("%w: server %q not found", abi.ErrNotFound, name)
	}
	if tools, err = h.pool.Probe(ctx, name); err == nil {
		h.endpoint.ForgetFaults(name)
	}
	return tools, err
}

// LastFailure returns why a server was not usable when last used: it was not ready when
// its last session ended, or its tools could not be listed. ok is false if it was usable
// or was not used yet.
func (h *Host) LastFailure(server string) (f pool.Failure, ok bool) {
	if f, ok = h.pool.LastFailure(server); ok {
		return f, true
	}
	if err := h.ToolsFault(server); err != nil {
		return pool.Failure{Error: err.Error(), Stderr: h.pool.LastStderr(server)}, true
	}
	return pool.Failure{}, false
}

// ToolsFault returns why the tools of a server could not be listed when a session last
// asked, nil if they could.
func (h *Host) ToolsFault(server string) error {
	for _, used := range h.Snapshot().UsedBy(object.Key{Kind: object.KindServer, Name: object.Name(server)}) {
		p, err := h.Project(string(used.Name()))
		if err != nil {
			continue
		}
		for _, s := range p.Servers {
			if s.Name != server {
				continue
			}
			if err := h.endpoint.ToolsFault("", s); err != nil {
				return err
			}
		}
	}
	return nil
}

// ListNotes describes what is wrong with the lists of a server as last read.
func (h *Host) ListNotes(server string) []string {
	for _, used := range h.Snapshot().UsedBy(object.Key{Kind: object.KindServer, Name: object.Name(server)}) {
		p, err := h.Project(string(used.Name()))
		if err != nil {
			continue
		}
		for _, s := range p.Servers {
			if notes := h.endpoint.ListNotes("", s); s.Name == server && len(notes) > 0 {
				return notes
			}
		}
	}
	return nil
}

// Metrics serves the figures of the daemon in the text format of Prometheus.
func (h *Host) Metrics() http.Handler { return metrics.Handler(&h.meter, h.metricSources) }

func (h *Host) metricSources() (s metrics.Sources, err error) {
	s.Sessions, s.Events, s.LLMs = h.Sessions(), h.events.Last(), h.LLMProviders()
	state := h.state.Load()
	for name := range state.projects {
		if p, err := state.plan.Project(name); err == nil {
			if m, err := p.Model(); err == nil {
				s.Models = append(s.Models, metrics.Model{Project: name, Name: m.Name})
			}
		}
	}
	s.Cache, s.Originals, err = h.CacheStats()
	return s, err
}

// SavedTokens returns the estimated tokens that clients did not have to read, minus
// those of drill-downs, since the Host was opened.
func (h *Host) SavedTokens() int64 { return h.meter.SavedTokens() }

// CacheStats are the figures of the cache and of the originals.
func (h *Host) CacheStats() (cache.Stats, content.Stats, error) {
	var stats cache.Stats
	err := h.withCache(func(c *cache.Cache) error {
		stats = c.Stats()
		return nil
	})
	return stats, h.contents.Stats(), err
}

// CacheList lists the cached results of a project, all with "".
func (h *Host) CacheList(project string) (list []cache.Item, err error) {
	err = h.withCache(func(c *cache.Cache) error {
		list = c.List(project)
		return nil
	})
	return list, err
}

// CacheClear drops the cached results of a project, all with "".
func (h *Host) CacheClear(project string) (n int, err error) {
	err = h.withCache(func(c *cache.Cache) error {
		n, err = c.Clear(project)
		return err
	})
	h.transformer.ForgetShown()
	return n, err
}

// withCache uses the open cache; offline it opens the file for this one use, so
// that no daemon that starts meanwhile is kept from it.
func (h *Host) withCache(use func(*cache.Cache) error) error {
	if h.cache != nil {
		return use(h.cache)
	}
	c, err := h.openCache()
	if err != nil {
		return err
	}
	return errors.Join(use(c), c.Close())
}

// ClearOriginals removes all originals and refs, and returns the number of originals.
// Results that were shown before go through the pipeline again.
func (h *Host) ClearOriginals() (n int, err error) {
	if !h.opts.Offline {
		n = h.contents.Clear()
		h.transformer.ForgetShown()
		return n, nil
	}
	key, err := h.opts.Home.RefKey()
	if err != nil {
		return 0, err
	}
	s, err := content.Open(h.opts.Home.Originals(), key, h.opts.Settings.originals())
	if err != nil {
		return 0, err
	}
	return s.Clear(), s.Close()
}

// Original returns a stored content of a project without subjects.
//
// Errors: abi.ErrNotFound, as of content.Store.
func (h *Host) Original(project, ref string) (flow.Content, error) {
	b, info, err := h.contents.Get(h.owner(flow.Scope{Project: project}), ref)
	return flow.Content{Type: info.Type, Source: info.Source, MIME: info.MIME, Hint: info.Hint, Bytes: b}, err
}
