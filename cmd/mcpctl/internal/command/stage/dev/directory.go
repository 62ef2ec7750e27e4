package dev

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
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host/lab"
)

// directory is a plugin directory, which is built.
type directory struct {
	opts   *Options
	plug   *plugin.Plugin
	chain  toolchain.Chain // of the last build
	unsure bool            // the last build failed
}

// read opens the directory again: its manifest may have changed.
func (d *directory) read() error {
	f, err := plugin.Open(d.opts.Path)
	if err != nil {
		return err
	}
	if len(f.Manifest.Roles) != 1 {
		return problem.New(abi.ErrConfig, "%s/plugin.yaml lists %d roles, want one", d.opts.Path, len(f.Manifest.Roles))
	}
	d.plug = f
	return nil
}

func (d *directory) name() string { return d.plug.Role().Name }

func (d *directory) look() (toolchain.Files, error) { return toolchain.Look(d.opts.Path) }

func (d *directory) looks() int { return 1 }

func (d *directory) close() { d.chain.Close() }

// module builds the directory. The tools are searched once, and again after a build that
// failed: it may have failed for the lack of one.
func (d *directory) module(ctx context.Context) (wasm []byte, build time.Duration, err error) {
	start := time.Now()
	done := d.opts.F.IO.Progress("building " + d.plug.Dir)
	defer done()
	l, err := toolchain.Of(d.plug.Dir)
	if err != nil {
		return nil, 0, err
	}
	if d.chain.Language != l || d.unsure {
		chain, err := d.plug.Chain(d.opts.F.Env)
		if err != nil {
			return nil, 0, err
		}
		if !d.chain.Same(chain) {
			d.chain.Close()
			d.chain = chain
		}
	}
	wasm, err = d.plug.Build(ctx, d.chain, true)
	d.unsure = err != nil
	return wasm, time.Since(start), err
}

func (d *directory) refused(err error) error { return err }

// install removes a module too that was installed from this directory under another name.
func (d *directory) install(home string, wasm []byte) (removed []string, err error) {
	if err := d.plug.Install(home, wasm, time.Now()); err != nil {
		return nil, err
	}
	return install.RemoveOthers(filepath.Join(home, "stages"), d.plug.Module(), d.plug.Dir)
}

// tests runs the fixtures on the module, as stage test does.
func (d *directory) tests(ctx context.Context, m *lab.Module, role abi.Role) (tests []fixture.Test, err error) {
	for _, path := range fixture.Glob(d.plug.Dir) {
		t, err := fixture.Run(ctx, m, role, path, false)
		if err != nil {
			if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
				continue // since it was listed
			}
			return nil, err
		}
		tests = append(tests, t)
	}
	return tests, nil
}

// contents returns the inputs of the fixtures.
func (d *directory) contents(role abi.Role) (list []content) {
	for _, path := range fixture.Glob(d.plug.Dir) {
		a, err := fixture.Read(path)
		if err != nil {
			continue // gone since it was listed, or the test reports it
		}
		if c, err := a.Call(role.Name); err == nil { // the test reports the error
			list = append(list, content{name: "fixture " + a.Name(), test: a.Name(), call: c})
		}
	}
	return list
}
