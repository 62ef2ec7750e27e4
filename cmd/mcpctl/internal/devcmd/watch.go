package devcmd

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/install"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/toolchain"
	"github.com/mcpctl/mcpctl/host/trial"
)

// watch is what lasts from round to round.
type watch struct {
	ctx     context.Context
	opts    *Options
	home    string
	trial   *trial.Trial
	module  *trial.Module    // of the last build; nil before the first
	role    abi.Role         // of that module
	before  map[string]shown // what it made of each content
	lives   []live           // of the project, of the last round
	serving bool             // a version of the stage lies in the home
	stale   bool             // a source has changed since
	chain   toolchain.Chain  // of the last build
	unsure  bool             // that build failed
	builds  int
	old     *trial.Trial // of the last module, until there is one of the new runtime
}

// open reads the folder, and takes what is installed of it for the build before.
func open(ctx context.Context, opts *Options) (*watch, error) {
	folder, err := openFolder(opts.Dir)
	if err != nil {
		return nil, err
	}
	home, err := opts.F.Home()
	if err != nil {
		return nil, err
	}
	t, err := opts.F.Trial(ctx)
	if err != nil {
		return nil, err
	}
	w := &watch{ctx: ctx, opts: opts, home: home, trial: t, before: map[string]shown{}}
	w.installed(folder)
	return w, nil
}

// installed loads the version of the role that lies in the home, if there is one.
func (w *watch) installed(folder *plugin.Folder) {
	wasm, err := os.ReadFile(filepath.Join(w.home, "stages", folder.Role().Name+".wasm"))
	if err != nil {
		return
	}
	w.serving = true
	m, err := w.trial.Load(w.ctx, folder.Role().Name, wasm)
	if err != nil {
		return // it is about to be replaced
	}
	if role, ok := m.Manifest().Role(folder.Role().Name); ok {
		w.module, w.role = m, role
	}
}

func (w *watch) close() {
	if w.module != nil {
		_ = w.module.Close()
	}
	_ = w.trial.Close() // the process ends
	if w.old != nil {
		_ = w.old.Close()
	}
	w.chain.Close()
}

// round builds if a source has changed since the last build that was installed, and
// runs everything. It is nil if nothing was printed.
//
// Errors: of the compiler, the manifest, the module: nothing is installed then; of the
// daemon, after the rest was done. With Once a test that fails too.
func (w *watch) round(ctx context.Context, sources bool) (*round, error) {
	w.stale = w.stale || sources
	folder, err := openFolder(w.opts.Dir)
	if err != nil {
		return nil, err
	}
	r := &round{At: time.Now(), Role: folder.Role().Name}
	away := w.fetch(ctx, r.Role)
	if w.stale {
		if err := w.replace(ctx, folder, r); err != nil {
			return nil, err
		}
		w.stale = false
	}
	start := time.Now()
	if err := w.fixtures(ctx, folder, r); err != nil {
		return nil, err
	}
	if err := w.traffic(ctx, folder, r); err != nil {
		return nil, err
	}
	r.Run = time.Since(start)
	r.Serving = w.serving
	if away != nil {
		r.Problem = problem.From(away)
	}
	if err := w.print(r); err != nil {
		return nil, err
	}
	if away != nil {
		return r, away
	}
	return r, r.err(w.opts)
}

// replace builds the module, loads it, and puts it where the daemon takes it up. What
// the one before makes of the contents was kept.
func (w *watch) replace(ctx context.Context, folder *plugin.Folder, r *round) error {
	start := time.Now()
	wasm, err := w.build(ctx, folder)
	if err != nil {
		return err
	}
	r.Build, r.Bytes = time.Since(start), len(wasm)
	if err := w.renew(ctx); err != nil {
		return err
	}
	start = time.Now()
	m, err := w.trial.Load(ctx, folder.Role().Name, wasm)
	if err != nil {
		return err
	}
	r.Admit = time.Since(start)
	if err := w.remember(ctx, folder); err != nil {
		m.Close()
		return err
	}
	if err := w.install(folder, wasm, r); err != nil {
		m.Close()
		return err
	}
	if w.module != nil {
		w.module.Close()
	}
	if w.old != nil {
		_ = w.old.Close()
		w.old = nil
	}
	w.serving, w.module, w.role = true, m, m.Manifest().Roles[0]
	return nil
}

// build makes the module. The tools are looked for once, and again after a build that
// failed: they may have been what it failed for.
func (w *watch) build(ctx context.Context, folder *plugin.Folder) (wasm []byte, err error) {
	done := w.opts.F.IO.Progress("building " + folder.Dir)
	defer done()
	l, err := toolchain.Of(folder.Dir)
	if err != nil {
		return nil, err
	}
	if w.chain.Language != l || w.unsure {
		chain, err := folder.Chain(w.opts.F.Env)
		if err != nil {
			return nil, err
		}
		if !w.chain.Same(chain) {
			w.chain.Close()
			w.chain = chain
		}
	}
	wasm, err = folder.Build(ctx, w.chain, true)
	w.unsure = err != nil
	return wasm, err
}

// install puts the module into the home. One that was put there from this folder under
// another name, which the role had then, is taken away.
func (w *watch) install(folder *plugin.Folder, wasm []byte, r *round) error {
	if err := folder.Install(w.home, wasm, time.Now()); err != nil {
		return err
	}
	var err error
	r.Removed, err = install.RemoveOthers(filepath.Join(w.home, "stages"), folder.Module(), folder.Dir)
	return err
}

// renewAfter is after how many builds a new runtime begins: it is at its beginning
// that compiled code nobody needs any more is removed, and each build leaves some.
const renewAfter = 30

func (w *watch) renew(ctx context.Context) error {
	if w.builds++; w.builds%renewAfter != 0 || w.old != nil {
		return nil
	}
	t, err := w.opts.F.Trial(ctx)
	if err != nil {
		return err
	}
	w.old, w.trial = w.trial, t // the module of the build before is still of the old one
	return nil
}

// remember has the module that is about to go show what it makes of each content. It
// is cheap, and right whatever was edited in between.
func (w *watch) remember(ctx context.Context, folder *plugin.Folder) error {
	w.before = map[string]shown{}
	if w.module == nil || w.role.Kind == abi.KindController {
		return nil
	}
	for _, c := range w.contents(folder) {
		s, err := w.show(ctx, c.call)
		if errors.Is(err, abi.ErrConfig) {
			continue // a config that it does not know yet: there is nothing to compare with
		}
		if err != nil {
			return err
		}
		w.before[c.name] = s
	}
	return nil
}

// content is something that a stage is run over.
type content struct {
	name string
	call trial.Call
}

// contents are the inputs of the fixtures and the last contents of the project.
func (w *watch) contents(folder *plugin.Folder) (list []content) {
	for _, path := range fixture.Glob(folder.Dir) {
		a, err := fixture.Read(path)
		if err != nil {
			continue // gone since it was listed, or the test tells
		}
		if c, err := a.Call(w.role.Name); err == nil { // the test tells of a mistake
			list = append(list, content{"fixture " + a.Name(), c})
		}
	}
	for _, l := range w.lives {
		list = append(list, content{l.name, l.call(w.role.Name)})
	}
	return list
}

// live is a content of live traffic.
type live struct {
	name   string
	config map[string]json.RawMessage // of the role, in the proxymodel that served it
	api.Original
}

func (l live) call(role string) trial.Call {
	return trial.Call{Role: role, Config: l.config, Type: l.ContentType, Source: l.Source, MIME: l.MIME, Hint: l.Hint, Input: []byte(l.Text)}
}
