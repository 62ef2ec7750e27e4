package dev

import (
	"context"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host/lab"
)

// source is the origin of the module: a plugin directory or a module file.
type source interface {
	// read reads the names of the module again. It is called at the start of each round.
	read() error

	// name returns the name of the module, which its file in the home has too.
	name() string

	// look lists the watched files that exist.
	look() (toolchain.Files, error)

	// looks returns how many equal looks mean that no file is being written.
	looks() int

	// module returns the module, and how long a build took; 0 if none was needed.
	module(ctx context.Context) (wasm []byte, build time.Duration, err error)

	// refused adds the command that helps to the error of a module that cannot be loaded.
	refused(err error) error

	// install puts the module into a home and returns the names that left it.
	install(home string, wasm []byte) (removed []string, err error)

	// tests runs the tests of a role.
	tests(ctx context.Context, m *lab.Module, role abi.Role) ([]fixture.Test, error)

	// contents returns the inputs of these tests.
	contents(role abi.Role) []content

	close()
}

// newSource returns the source that a path names.
func newSource(opts *Options) source {
	if strings.HasSuffix(opts.Path, ".wasm") {
		return &file{opts: opts}
	}
	return &directory{opts: opts}
}
