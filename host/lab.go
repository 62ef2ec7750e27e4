package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/registry"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/transform"
	"github.com/mcpctl/mcpctl/host/wasm/module"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// Lab returns the Lab of the home.
func (h *Host) Lab() *lab.Lab {
	return lab.New(lab.Parts{Home: labHome{h}, Transformer: h.transformer, Runtime: h.runtime, Sections: h.settings, Limits: h.opts.Settings.calls()})
}

// labHome implements lab.Home with a Host.
type labHome struct{ h *Host }

// Ready implements lab.Home.
func (c labHome) Ready(ctx context.Context) error { return c.h.config.Ready(ctx) }

// Rescan implements lab.Home.
func (c labHome) Rescan(ctx context.Context) error { return c.h.modules.Rescan(ctx) }

// Snapshot implements lab.Home.
func (c labHome) Snapshot() *store.Snapshot { return c.h.Snapshot() }

// Plan implements lab.Home.
func (c labHome) Plan() *proxymodel.Plan { return c.h.config.State().Plan }

// Roles implements lab.Home.
func (c labHome) Roles() proxymodel.Roles {
	return c.h.config.Roles()
}

// Stage implements lab.Home.
func (c labHome) Stage(ctx context.Context, role string) (transform.Stage, func(), error) {
	s, release, err := stages{c.h.modules}.Stage(ctx, role)
	if err != nil {
		return s, nil, unknownStage(c.h.modules, role, err)
	}
	return s, release, nil
}

// Role implements lab.Home.
func (c labHome) Role(ctx context.Context, name string) (abi.Role, module.Info, error) {
	return c.h.Role(ctx, name, true)
}

// unknownStage adds the most similar name to the error of an unknown stage. Other
// errors are returned unchanged.
func unknownStage(modules *registry.Registry[loadedModule], name string, err error) error {
	if !errors.Is(err, abi.ErrNotFound) {
		return err
	}
	var names []string
	for _, st := range modules.Status() {
		if st.Name == name && st.Why != "" {
			return fmt.Errorf("%w: stage %q is not loaded: %s", abi.ErrUnavailable, name, st.Why)
		}
		names = append(names, st.Name)
	}
	if near := suggest.Nearest(name, names); near != "" {
		return fmt.Errorf("%w: stage %q, did you mean %q?", abi.ErrNotFound, name, near)
	}
	return fmt.Errorf("%w: stage %q", abi.ErrNotFound, name)
}
