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
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
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
}

// round builds if a source has changed, and runs everything.
//
// Errors: of the compiler, the manifest, the module: nothing is installed then. With
// Once a test that fails too.
func (w *watch) round(ctx context.Context, build bool) error {
	folder, err := openFolder(w.opts.Dir)
	if err != nil {
		return err
	}
	r := &round{At: time.Now(), Role: folder.Role().Name}
	if build || w.module == nil {
		if err := w.replace(ctx, folder, r); err != nil {
			return err
		}
	}
	start := time.Now()
	if err := w.fixtures(ctx, folder, r); err != nil {
		return err
	}
	if err := w.traffic(ctx, r); err != nil {
		return err
	}
	r.Run = time.Since(start)
	r.Serving = w.serving
	if err := w.print(r); err != nil {
		return err
	}
	return r.err(w.opts)
}

// replace builds the module, loads it, and puts it where the daemon takes it up. What
// the one before makes of the contents was kept.
func (w *watch) replace(ctx context.Context, folder *plugin.Folder, r *round) error {
	chain, err := folder.Chain(w.opts.F.Env)
	if err != nil {
		return err
	}
	done := w.opts.F.IO.Progress("building " + folder.Dir)
	defer done()
	start := time.Now()
	wasm, err := folder.Build(ctx, chain, true)
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
	if err := folder.Install(w.home, wasm, time.Now()); err != nil {
		m.Close()
		return err
	}
	if w.module != nil {
		if err := w.remember(ctx, folder); err != nil {
			m.Close()
			return err
		}
		w.module.Close()
		if w.old != nil {
			_ = w.old.Close()
			w.old = nil
		}
	}
	w.serving, w.module, w.role = true, m, m.Manifest().Roles[0]
	return nil
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
	if w.role.Kind == abi.KindController {
		return nil
	}
	contents, err := w.contents(ctx, folder)
	if err != nil {
		return err
	}
	for _, c := range contents {
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
func (w *watch) contents(ctx context.Context, folder *plugin.Folder) ([]content, error) {
	var list []content
	for _, path := range fixture.Glob(folder.Dir) {
		a, err := fixture.Read(path)
		if err != nil {
			return nil, err
		}
		if c, err := a.Call(w.role.Name); err == nil { // the test tells of a mistake
			list = append(list, content{"fixture " + a.Name(), c})
		}
	}
	if err := w.fetch(ctx); err != nil {
		return nil, err
	}
	for _, l := range w.lives {
		list = append(list, content{l.name, l.call(w.role.Name)})
	}
	return list, nil
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
