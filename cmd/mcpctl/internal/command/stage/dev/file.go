package dev

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host/lab"
)

// file is a module that a compiler of the author's own writes.
type file struct{ opts *Options }

// fileLooks is more than the one look of a directory: many linkers write a module in
// place, in pieces. At lookEvery it is a quarter of a second.
const fileLooks = 10

func (f *file) read() error { return nil }

func (f *file) name() string { return strings.TrimSuffix(filepath.Base(f.opts.Path), ".wasm") }

func (f *file) look() (toolchain.Files, error) { return toolchain.LookAt(f.opts.Path) }

func (f *file) looks() int { return fileLooks }

func (f *file) close() {}

// module reads the file.
//
// Errors: abi.ErrNotFound if it does not exist; abi.ErrConfig if it is a device or a pipe,
// which a watch cannot read twice.
func (f *file) module(context.Context) ([]byte, time.Duration, error) {
	info, err := os.Stat(f.opts.Path)
	if err == nil && !info.Mode().IsRegular() {
		p := problem.New(abi.ErrConfig, "%s is not a regular file", f.opts.Path)
		p.Cause = "stage dev reads a module file again each time it changes"
		return nil, 0, p.WithHint("mcpctl stage dev --help")
	}
	if os.IsNotExist(err) {
		p := problem.New(abi.ErrNotFound, "there is no file %s", f.opts.Path)
		p.Cause = "it was deleted, or its compiler has not written it yet"
		return nil, 0, p.WithHint("mcpctl stage dev --help")
	}
	wasm, err := f.opts.F.ReadFile(f.opts.Path)
	return wasm, 0, err
}

// refused puts the file into the command that helps. The running command is not one.
func (f *file) refused(err error) error {
	p := problem.FromFile(err, f.opts.Path)
	if p.Hint != "" && !isDev(p.Hint) {
		return p
	}
	return p.WithHint("mcpctl stage inspect %s", problem.Arg(f.opts.Path))
}

// install copies the module, unless the compiler writes into the home itself.
func (f *file) install(home string, wasm []byte) (removed []string, err error) {
	return nil, install.Bare(filepath.Join(home, "stages"), f.opts.Path, wasm)
}

// tests checks the laws of every stage on the samples, as stage test FILE.wasm does. A
// controller has none: sessions of its plugin directory test it.
func (f *file) tests(ctx context.Context, m *lab.Module, role abi.Role) ([]fixture.Test, error) {
	if role.Kind == abi.KindController {
		return nil, nil
	}
	var tests []fixture.Test
	for _, s := range fixture.Samples {
		t, err := fixture.CheckLaws(ctx, m, role, s, f.opts.Path)
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
	}
	return tests, nil
}

// contents returns the samples.
func (f *file) contents(role abi.Role) (list []content) {
	for _, s := range fixture.Samples {
		list = append(list, content{name: "sample " + s.Name, test: s.Name, call: lab.Call{Role: role.Name, Input: []byte(s.Text)}})
	}
	return list
}
