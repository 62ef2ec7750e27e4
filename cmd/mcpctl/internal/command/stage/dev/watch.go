package dev

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/object"
)

// watch is the state that lasts from round to round.
type watch struct {
	ctx     context.Context
	opts    *Options
	source  source
	home    string
	trial   *lab.Trial
	module  *lab.Module      // of the last build; nil before the first
	roles   []abi.Role       // of that module
	before  map[string]shown // its results, by the name of the content
	lives   []live           // of the project, of the last round
	serving bool             // a version of the module is in the home
	stale   bool             // a source has changed since
	builds  int
	old     *lab.Trial // of the last module, until there is one of the new runtime
}

// open reads the source, and loads the installed version as the build before.
func open(ctx context.Context, opts *Options) (*watch, error) {
	src := newSource(opts)
	if err := src.read(); err != nil {
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
	w := &watch{ctx: ctx, opts: opts, source: src, home: home, trial: t, before: map[string]shown{}}
	w.loadInstalled()
	return w, nil
}

// loadInstalled loads the version that is in the home, if there is one.
func (w *watch) loadInstalled() {
	wasm, err := os.ReadFile(w.installed())
	if err != nil {
		return
	}
	w.serving = true
	if m, err := w.trial.Load(w.ctx, w.source.name(), wasm); err == nil { // otherwise it is about to be replaced
		w.module, w.roles = m, m.Manifest().Roles
	}
}

// installed returns the path of the module in the home.
func (w *watch) installed() string {
	return filepath.Join(w.home, "stages", w.source.name()+".wasm")
}

func (w *watch) close() {
	if w.module != nil {
		_ = w.module.Close()
	}
	_ = w.trial.Close() // the process ends
	if w.old != nil {
		_ = w.old.Close()
	}
	w.source.close()
}

// round builds if a source has changed since the last build that was installed, and
// runs everything. It is nil if nothing was printed.
//
// A running daemon serves the new module when round returns.
//
// Errors: of the compiler, the manifest, the module: nothing is installed then; of the
// daemon, after the rest was done. With Once a test that fails too.
func (w *watch) round(ctx context.Context, sources bool) (*round, error) {
	w.stale = w.stale || sources
	if err := w.source.read(); err != nil {
		return nil, err
	}
	r := &round{At: time.Now(), Role: w.source.name()}
	away := w.fetch(ctx)
	if w.stale {
		if err := w.replace(ctx, r); err != nil {
			return nil, err
		}
		w.stale = false
		if err := w.opts.F.ReloadDaemon(ctx); away == nil {
			away = err
		}
	}
	start := time.Now()
	if err := w.tests(ctx, r); err != nil {
		return nil, err
	}
	if err := w.traffic(ctx, r); err != nil {
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

// replace gets the module, loads it, and installs it where the daemon takes it up. The
// results of the one before were kept.
func (w *watch) replace(ctx context.Context, r *round) error {
	wasm, build, err := w.source.module(ctx)
	if err != nil {
		return err
	}
	r.Build, r.Bytes = build, len(wasm)
	if err := w.renew(ctx); err != nil {
		return err
	}
	start := time.Now()
	m, err := w.trial.Load(ctx, r.Role, wasm)
	if err != nil {
		return w.source.refused(err)
	}
	r.Admit = time.Since(start)
	if err := abi.CheckKinds(w.roles, m.Manifest().Roles); err != nil {
		m.Close()
		return problem.From(err).WithHint("mcpctl delete stage %s", r.Role)
	}
	if err := w.remember(ctx); err != nil {
		m.Close()
		return err
	}
	if r.Removed, err = w.source.install(w.home, wasm); err != nil {
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
	r.Held = w.opts.F.Held(r.Role, wasm)
	w.serving, w.module, w.roles = true, m, m.Manifest().Roles
	return nil
}

// renewAfter is the number of builds after which a new runtime is started. Unused compiled
// code is removed only at the start of a runtime, and each build leaves some.
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

// remember keeps the results of the module that is about to be replaced. This is cheap, and
// correct regardless of edits in between.
func (w *watch) remember(ctx context.Context) error {
	w.before = map[string]shown{}
	for _, c := range w.contents() {
		s, err := w.show(ctx, c)
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

// content is an input of a stage.
type content struct {
	name      string
	test      string // name of the test that has this input; empty for live traffic
	call      lab.Call
	onFailure string // object.OnFailurePass, ...Block or ...Placeholder
}

// contents returns the inputs of the tests and the last contents of the project, for each
// role that transforms content.
func (w *watch) contents() (list []content) {
	for _, role := range w.roles {
		if role.Kind == abi.KindController {
			continue // it changes no content; its fixtures report
		}
		of := w.source.contents(role)
		for _, l := range w.lives {
			of = append(of, content{name: l.name, call: l.call(role.Name), onFailure: l.entries[role.Name].OnFailure})
		}
		for _, c := range of {
			c.name, c.test = w.label(role, c.name), w.label(role, c.test)
			if c.onFailure == "" && role.Kind == abi.KindFilter {
				c.onFailure = object.OnFailureBlock
			}
			list = append(list, c)
		}
	}
	return list
}

// label puts the role before a name if the module has several.
func (w *watch) label(role abi.Role, name string) string {
	if len(w.roles) < 2 || name == "" {
		return name
	}
	return role.Name + "/" + name
}

// live is a content of live traffic.
type live struct {
	name    string
	entries entries // in the proxymodel that served it
	api.Original
}

// entries are those of stages in a proxymodel, by role.
type entries map[string]entry

// entry is the part of an entry that a run depends on.
type entry struct {
	Config    map[string]json.RawMessage
	OnFailure string
}

func (l live) call(role string) lab.Call {
	return lab.Call{Role: role, Config: l.entries[role].Config, Type: l.ContentType, Source: l.Source, MIME: l.MIME, Hint: l.Hint, Input: []byte(l.Text)}
}
