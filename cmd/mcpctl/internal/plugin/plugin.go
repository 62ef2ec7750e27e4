// Package plugin represents a plugin directory of an author: its manifest, sources,
// fixtures, and the module that is built from them.
package plugin

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/manifest"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// Plugin is a plugin directory. Its methods use the first role; Open does not refuse
// several.
type Plugin struct {
	Dir      string // as given to Open, may be relative
	Manifest abi.Manifest
}

// Open reads the manifest in a directory.
//
// Errors: abi.ErrNotFound if the directory has no plugin.yaml, strictyaml.Errors if the
// file is invalid.
func Open(dir string) (*Plugin, error) {
	file := filepath.Join(dir, "plugin.yaml")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		p := problem.New(abi.ErrNotFound, "directory %s has no plugin.yaml", dir)
		p.Cause = "a local stage is a directory with a plugin.yaml, sources and testdata"
		return nil, p.WithHint("mcpctl create stage my-stage")
	}
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(b, file)
	if err != nil {
		return nil, withFieldsHint(err)
	}
	return &Plugin{dir, m}, nil
}

// withFieldsHint adds the hint "mcpctl explain plugin" to an error in plugin.yaml that
// has no hint.
func withFieldsHint(err error) error {
	p := problem.From(err)
	if p.Hint != "" {
		return err
	}
	return p.WithHint("mcpctl explain plugin")
}

// Role returns the first role of the plugin.
func (f *Plugin) Role() abi.Role { return f.Manifest.Roles[0] }

// Module returns the path to which builds in the directory write the module.
func (f *Plugin) Module() string { return filepath.Join(f.Dir, f.Role().Name+".wasm") }

// Stale reports whether a source is newer than the module, or there is no module.
func (f *Plugin) Stale() (bool, error) { return toolchain.Stale(f.Dir, f.Module()) }

// Chain finds the tools that build the plugin.
//
// Errors: *toolchain.Missing; abi.ErrNotFound if the language of the directory is unknown.
func (f *Plugin) Chain(env func(string) string) (toolchain.Chain, error) {
	l, err := toolchain.Of(f.Dir)
	if err != nil {
		return toolchain.Chain{}, err
	}
	return toolchain.Find(toolchain.System{Getenv: env}, l, f.Dir)
}

// Fresh returns the module with its manifest. It rebuilds and writes the module if a
// source is newer, and packs it if a compiler wrote it without a manifest. If it
// builds, it calls progress with a description, and the returned function at the end.
//
// Errors: those of Chain and Build.
func (f *Plugin) Fresh(ctx context.Context, env func(string) string, progress func(string) func()) (file string, module []byte, err error) {
	stale, err := f.Stale()
	if err != nil {
		return "", nil, err
	}
	if !stale {
		return f.packed()
	}
	chain, err := f.Chain(env)
	if err != nil {
		return "", nil, err
	}
	done := progress("building " + f.Dir)
	defer done()
	if module, err = f.Build(ctx, chain, false); err != nil {
		return "", nil, err
	}
	return f.Module(), module, f.Keep(module)
}

// packed returns the module in the directory. A module that a compiler wrote has no
// manifest, so packed adds it and writes the file.
func (f *Plugin) packed() (file string, module []byte, err error) {
	file = f.Module()
	if module, err = os.ReadFile(file); err != nil {
		return "", nil, err
	}
	if info, err := lab.InspectModule(file, module); err == nil && info.HasManifest {
		return file, module, nil
	}
	if module, err = f.Pack(module); err != nil {
		return "", nil, err
	}
	return file, module, f.Keep(module)
}

// Build compiles the module and packs it with its manifest.
//
// Errors: those of Compile and Pack.
func (f *Plugin) Build(ctx context.Context, c toolchain.Chain, debug bool) ([]byte, error) {
	wasm, err := f.Compile(ctx, c, debug)
	if err != nil {
		return nil, err
	}
	return f.Pack(wasm)
}

// Compile compiles the module, without a manifest.
//
// Errors: *problem.Problem whose cause contains the compiler's messages.
func (f *Plugin) Compile(ctx context.Context, c toolchain.Chain, debug bool) ([]byte, error) {
	tmp, err := os.MkdirTemp("", "mcpctl-build-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(tmp, f.Role().Name+".wasm")
	if err := c.Build(ctx, toolchain.Job{Dir: dir, Name: f.Role().Name, Out: out, Debug: debug}); err != nil {
		return nil, f.withRetryHint(err)
	}
	return os.ReadFile(out)
}

// withRetryHint adds the command that repeats the build to the error of a failed build.
func (f *Plugin) withRetryHint(err error) error {
	var p *problem.Problem
	if !errors.As(err, &p) || p.Hint != "" {
		return err
	}
	return p.WithHint("mcpctl stage dev %s --once", problem.Arg(f.Dir))
}

// Pack reads plugin.yaml again and writes it, as the manifest, into a module.
//
// Errors: strictyaml.Errors if plugin.yaml is invalid; abi.ErrGuest if the module does
// not match it.
func (f *Plugin) Pack(wasm []byte) ([]byte, error) {
	packed, err := lab.Pack(f.Dir, wasm, WithOrigin(f.Dir, "", lab.PackOptions{}))
	if err = f.WithMissingExport(err); errors.Is(err, abi.ErrGuest) { // the general hint for a refused module is "mcpctl stage pack", which does not help here
		return nil, problem.From(err).WithHint("mcpctl stage dev %s --once", problem.Arg(f.Dir))
	}
	return packed.Module, err
}

// WithOrigin adds the language and the SDK of a directory to the options. If l is "",
// the files determine the language; if they do not, opts is unchanged.
func WithOrigin(dir string, l toolchain.Language, opts lab.PackOptions) lab.PackOptions {
	if l == "" {
		var err error
		if l, err = toolchain.Of(dir); err != nil {
			return opts
		}
	}
	opts.Language = l.Title()
	opts.SDK.Name, opts.SDK.Version = l.SDK(dir)
	return opts
}

// Keep writes a module to the path of the directory's own builds.
func (f *Plugin) Keep(module []byte) error { return atomicfile.Write(f.Module(), module, 0o644) }

// Install writes a module into the stages/ of a home, from which a running daemon loads
// it, and records the source directory.
func (f *Plugin) Install(home string, module []byte, now time.Time) error {
	return install.Module(filepath.Join(home, "stages"), f.Module(), module, f.Dir, now)
}
