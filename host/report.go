package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/failure"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/metrics"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/trust"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Home returns the directory of the Host.
func (h *Host) Home() homedir.Dir { return h.opts.Home }

// Snapshot returns the current objects.
func (h *Host) Snapshot() *store.Snapshot { return h.config.State().Snapshot }

// Apply writes objects and returns once they are in use. On abi.ErrConflict it
// loads the files from disk, so the caller can read them and try again.
func (h *Host) Apply(objects []object.Object, opt store.ApplyOptions) ([]store.Change, error) {
	changes, err := h.store.Apply(objects, opt)
	if !opt.DryRun {
		recordEdits(h.opts.Home, h.log, changes)
	}
	if err == nil && !opt.DryRun || errors.Is(err, abi.ErrConflict) {
		h.config.Reload()
		h.endpoint.Refresh("")
	}
	return changes, err
}

// Delete removes an object and returns once it is no longer used.
func (h *Host) Delete(key object.Key) (store.Deletion, error) {
	d, err := h.store.Delete(key)
	if err == nil {
		recordDecisions(h.opts.Home, h.log, trust.Decision{Action: "deleted", Kind: strings.ToLower(string(key.Kind)), Name: labelOf(key)})
		h.pins.forget(key)
		h.config.Reload()
		h.endpoint.Refresh("")
	}
	return d, err
}

// DeleteStage removes the file of a local stage. A built-in stage of this name is
// used again.
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
		recordDecisions(h.opts.Home, h.log, trust.Decision{Action: "deleted", Name: name})
		return h.Reload(ctx)
	}
	if builtIn {
		return fmt.Errorf("%w: stage %q is part of the program and cannot be deleted, a local module can only replace it", abi.ErrDenied, name)
	}
	return fmt.Errorf("%w: stage %q", abi.ErrNotFound, name)
}

// Reload reads all files of the home again and returns once they are in use.
// It retries modules that were refused because an earlier process ended while loading them.
func (h *Host) Reload(ctx context.Context) error {
	if h.marks != nil {
		if err := h.marks.Forget(); err != nil {
			return err
		}
	}
	if err := h.modules.Rescan(ctx); err != nil {
		return err
	}
	h.config.Reload()
	h.transformer.ForgetShown()
	h.pins.Reload()
	h.endpoint.Refresh("")
	h.endpoint.CheckTools()
	return nil
}

// stagesWait is how long Stages waits for local modules. One can take half a minute to
// compile.
const stagesWait = 3 * time.Second

// Stages returns the status of the roles. It waits until the built-in modules are loaded,
// and for a limited time for others, some of which may then still be compiling.
func (h *Host) Stages(ctx context.Context) ([]registry.Status, error) {
	wait, cancel := context.WithTimeout(ctx, stagesWait)
	defer cancel()
	err := h.config.Ready(wait)
	if isOver := err != nil && wait.Err() != nil && ctx.Err() == nil; isOver {
		err = h.modules.WaitForBuiltins(ctx)
	}
	if err != nil {
		return nil, err
	}
	return h.modules.Status(), nil
}

// StageFailure returns the last failure of a role in live traffic since the module
// with this hash was loaded.
func (h *Host) StageFailure(role, hash string) (failure.Record, bool) {
	return h.failures.Last(role, hash)
}

// Role returns the current role of a name, and its module. With wait it waits for one that is
// being loaded.
func (h *Host) Role(ctx context.Context, name string, wait bool) (abi.Role, module.Info, error) {
	acquire := h.modules.Acquire
	if !wait {
		acquire = h.modules.AcquireLoaded
	}
	handle, release, err := acquire(ctx, name)
	if err != nil {
		return abi.Role{}, module.Info{}, unknownStage(h.modules, name, err)
	}
	defer release()
	return handle.Role, handle.Module.Info(), nil
}

// Model returns a compiled ProxyModel. It waits until modules are loaded first.
func (h *Host) Model(ctx context.Context, name string) (*proxymodel.Model, error) {
	if err := h.config.Ready(ctx); err != nil {
		return nil, err
	}
	return h.config.State().Plan.Model(name)
}

// Sessions returns the number of open sessions.
func (h *Host) Sessions() int { return h.endpoint.Sessions("") }

// Tools returns the tools of a project, as far as its servers have listed them, and none
// for an unknown project.
func (h *Host) Tools(project string) proxy.Inventory {
	p, ok := h.config.State().Projects[project]
	if !ok {
		return proxy.Inventory{}
	}
	return h.endpoint.Inventory("", p)
}

// Instructions returns the instructions that a new session of a project would
// receive. Servers that have not answered yet are missing. It waits until the modules of the
// project are loaded first.
//
// Errors: abi.ErrNotFound for an unknown project.
func (h *Host) Instructions(ctx context.Context, project string) (proxy.Instructions, error) {
	if err := h.config.ReadyFor(ctx, project); err != nil {
		return proxy.Instructions{}, err
	}
	p, err := h.config.Project(project)
	if err != nil {
		return proxy.Instructions{}, err
	}
	return h.endpoint.Instructions(ctx, "", p), nil
}

// Metrics serves the metrics of the daemon in the text format of Prometheus.
func (h *Host) Metrics() http.Handler { return metrics.Handler(&h.meter, h.metricSources) }

func (h *Host) metricSources() (s metrics.Sources, err error) {
	s.Sessions, s.Events, s.LLMs = h.Sessions(), h.events.Last(), h.llm.Providers()
	s.Processes, s.Goroutines, s.Panics = h.runtime.Processes(), runtime.NumGoroutine(), h.endpoint.Panics()
	state := h.config.State()
	for name := range state.Projects {
		if p, err := state.Plan.Project(name); err == nil {
			if m, err := p.Model(); err == nil {
				s.Models = append(s.Models, metrics.Model{Project: name, Name: m.Name})
			}
		}
	}
	s.Shared = h.shared.Figures()
	s.Cache, s.Originals, err = h.Storage().Stats()
	return s, err
}

// SavedTokens returns the estimated number of tokens that clients did not have to
// read since the Host was opened, minus those of drill-downs.
func (h *Host) SavedTokens() int64 { return h.meter.SavedTokens() }
