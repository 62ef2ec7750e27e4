package lab

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/proxymodel"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/transform"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/host/wasm/module"
)

// Home is the configuration of an open home. Implementations are safe for concurrent use.
type Home interface {
	// Ready waits until all modules have been loaded for the first time.
	Ready(ctx context.Context) error
	// Rescan reads the modules of the home again.
	Rescan(ctx context.Context) error
	Snapshot() *store.Snapshot
	Plan() *proxymodel.Plan
	Roles() proxymodel.Roles
	// Stage returns the stage or filter that has this role now; see transform.Modules.
	Stage(ctx context.Context, role string) (s transform.Stage, release func(), err error)
	// Role returns a role and the description of its module.
	Role(ctx context.Context, name string) (abi.Role, module.Info, error)
}

// Parts are the parts of a home that a Lab works with. All are required.
type Parts struct {
	Home
	Transformer *transform.Transformer
	Runtime     *wasm.Runtime
	Sections    section.Settings
	Limits      abi.GuestLimits
}

// Lab runs and checks the stages and proxymodels of an open home. It is safe for
// concurrent use.
type Lab struct{ Parts }

// New returns a Lab.
func New(p Parts) *Lab { return &Lab{p} }
