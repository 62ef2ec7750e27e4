// Package plugin is a plugin folder as its author works on it: manifest, sources,
// fixtures, and the module that is built of them.
package plugin

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/atomicfile"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/manifest"
)

// Folder is a plugin folder with one role.
type Folder struct {
	Dir      string // as it was named
	Manifest abi.Manifest
}

// Open reads the manifest of a folder.
//
// Errors: abi.ErrNotFound for a folder without a plugin.yaml, strictyaml.Errors for one
// with mistakes.
func Open(dir string) (*Folder, error) {
	file := filepath.Join(dir, "plugin.yaml")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		p := problem.New(abi.ErrNotFound, "folder %s has no plugin.yaml", dir)
		p.Cause = "a stage of one's own is a folder with a plugin.yaml, sources and testdata"
		return nil, p.WithHint("mcpctl create stage my-stage")
	}
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(b, file)
	if err != nil {
		return nil, explained(err)
	}
	return &Folder{dir, m}, nil
}

// explained adds to mistakes in plugin.yaml the command that tells of its fields.
func explained(err error) error {
	p := problem.From(err)
	if p.Hint != "" {
		return err
	}
	return p.WithHint("mcpctl explain plugin")
}

// Role is the role of the folder.
func (f *Folder) Role() abi.Role { return f.Manifest.Roles[0] }

// Module is where the folder's own builds put the module.
func (f *Folder) Module() string { return filepath.Join(f.Dir, f.Role().Name+".wasm") }

// Stale reports whether a source is newer than the module, or there is no module.
func (f *Folder) Stale() (bool, error) { return toolchain.Stale(f.Dir, f.Module()) }

// Chain finds the tools that build the folder.
//
// Errors: *toolchain.Missing; abi.ErrNotFound for a folder whose language nobody
// knows.
func (f *Folder) Chain(env func(string) string) (toolchain.Chain, error) {
	l, err := toolchain.Of(f.Dir)
	if err != nil {
		return toolchain.Chain{}, err
	}
	return toolchain.Find(toolchain.System{Getenv: env}, l, f.Dir)
}

// Fresh is the module of the folder, with its manifest: built anew and kept if a
// source is newer, packed and kept if a compiler has put it there by itself. progress tells a person that work goes on.
//
// Errors: those of Chain and Build.
func (f *Folder) Fresh(ctx context.Context, env func(string) string, progress func(string) func()) (file string, module []byte, err error) {
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

// packed is the module as it lies in the folder, packed and kept if it has no
// manifest: what a compiler writes there has none.
func (f *Folder) packed() (file string, module []byte, err error) {
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

// Build makes the module of the folder, packed with its manifest.
//
// Errors: those of Compile and Pack.
func (f *Folder) Build(ctx context.Context, c toolchain.Chain, debug bool) ([]byte, error) {
	wasm, err := f.Compile(ctx, c, debug)
	if err != nil {
		return nil, err
	}
	return f.Pack(wasm)
}

// Compile makes the module of the folder, without a manifest.
//
// Errors: *problem.Problem whose cause is what the compiler said.
func (f *Folder) Compile(ctx context.Context, c toolchain.Chain, debug bool) ([]byte, error) {
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
		return nil, f.again(err)
	}
	return os.ReadFile(out)
}

// again adds to a build that failed the command that builds once more.
func (f *Folder) again(err error) error {
	var p *problem.Problem
	if !errors.As(err, &p) || p.Hint != "" {
		return err
	}
	return p.WithHint("mcpctl stage dev %s --once", problem.Arg(f.Dir))
}

// Pack puts the manifest of the folder into a module.
//
// Errors: strictyaml.Errors for mistakes in plugin.yaml; abi.ErrGuest if the module does
// not fit it.
func (f *Folder) Pack(wasm []byte) ([]byte, error) {
	packed, err := lab.Pack(f.Dir, wasm, Made(f.Dir, "", lab.PackOptions{}))
	if err = f.Explained(err); errors.Is(err, abi.ErrGuest) { // what a refused module hears of elsewhere is to pack it
		return nil, problem.From(err).WithHint("mcpctl stage dev %s --once", problem.Arg(f.Dir))
	}
	return packed.Module, err
}

// Made adds to the options the language that a folder is written in, if none is given
// the one that its files tell, and which SDK it builds with.
func Made(dir string, l toolchain.Language, opts lab.PackOptions) lab.PackOptions {
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

// Keep writes a module where the folder's own builds put it.
func (f *Folder) Keep(module []byte) error { return atomicfile.Write(f.Module(), module, 0o644) }

// Install puts a module into the stages/ of a home, where a running daemon takes it
// up, and records the folder it was built in.
func (f *Folder) Install(home string, module []byte, now time.Time) error {
	return install.Module(filepath.Join(home, "stages"), f.Module(), module, f.Dir, now)
}
