package devcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/fixture"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/plugin"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/textdiff"
	"github.com/mcpctl/mcpctl/host/trial"
)

// shown is what one version of a stage makes of a content.
type shown struct {
	text    string // what a client would read, or why it failed
	reason  string // why it failed
	outcome trial.Outcome
	tokens  int
}

// show runs the module over a content.
//
// Errors: abi.ErrConfig if its config does not fit the module.
func (w *watch) show(ctx context.Context, c trial.Call) (shown, error) {
	r, err := w.module.Run(ctx, c)
	if err != nil {
		return shown{}, err
	}
	if r.Outcome == trial.Fail {
		return failure(r.Reason), nil
	}
	text, err := w.module.Shown(c.Input, r)
	if err != nil {
		return failure(err.Error()), nil
	}
	return shown{text: string(text), outcome: r.Outcome, tokens: abi.EstimateTokens(text)}, nil
}

// failure is what a run shows that failed.
func failure(why string) shown {
	return shown{text: "fails: " + why + "\n", reason: why, outcome: trial.Fail}
}

// fixtures runs the fixtures on the module, as stage test does.
func (w *watch) fixtures(ctx context.Context, folder *plugin.Folder, r *round) error {
	for _, path := range fixture.Glob(folder.Dir) {
		t, err := fixture.Run(ctx, w.module, w.role, path, false)
		if err != nil {
			if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
				continue // since it was listed
			}
			return err
		}
		r.Tests = append(r.Tests, t)
	}
	return nil
}

// traffic runs the contents of fixtures and of the project, and compares with the
// build before.
func (w *watch) traffic(ctx context.Context, folder *plugin.Folder, r *round) error {
	if w.role.Kind == abi.KindController {
		return nil // a controller changes no content; its fixtures tell
	}
	for _, c := range w.contents(folder) {
		now, err := w.show(ctx, c.call)
		if errors.Is(err, abi.ErrConfig) {
			now, err = failure(problem.From(problem.Placeless(err)).Error()), nil
		}
		if err != nil {
			return err
		}
		out := change{Content: c.name, Outcome: now.outcome, Reason: now.reason, Original: abi.EstimateTokens(c.call.Input), Tokens: now.tokens}
		if before, ok := w.before[c.name]; ok {
			out.Before = &before.tokens
			out.Diff = textdiff.Lines("before", "now", before.text, now.text)
		}
		r.Contents = append(r.Contents, out)
	}
	return nil
}

// fetch gets the last contents of the project from the daemon; those of the round
// before are asked for no more, and stay if it does not answer.
func (w *watch) fetch(ctx context.Context, role string) error {
	if w.opts.Project == "" || w.opts.Events == 0 {
		return nil
	}
	daemon, err := w.opts.F.Daemon()
	if err != nil {
		return err
	}
	events, err := daemon.Events(ctx, w.opts.Project)
	if err != nil {
		return err
	}
	var lives []live
	configs := map[string]map[string]json.RawMessage{}
	for e, ref := range newest(events) {
		if len(lives) == w.opts.Events {
			break
		}
		name := fmt.Sprintf("event %d %s (%s)", e.ID, e.Source, ref)
		config, err := configIn(ctx, daemon, modelOf(e), role, configs)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(w.lives, func(l live) bool { return l.name == name }); i >= 0 {
			lives = append(lives, live{name, config, w.lives[i].Original})
			continue
		}
		o, err := daemon.Original(ctx, w.opts.Project, ref)
		if errors.Is(err, abi.ErrNotFound) {
			continue // it has gone since
		}
		if err != nil {
			return err
		}
		lives = append(lives, live{name, config, o})
	}
	slices.Reverse(lives) // oldest first
	w.lives = lives
	return nil
}

// newest are the refs of what events have stored, from the last event on.
func newest(events []api.Event) iter.Seq2[api.Event, string] {
	return func(yield func(api.Event, string) bool) {
		for _, e := range slices.Backward(events) {
			var r struct{ Refs []string }
			_ = json.Unmarshal(e.Raw, &r) // the daemon's own; none is none
			for _, ref := range r.Refs {
				if !yield(e, ref) {
					return
				}
			}
		}
	}
}

// modelOf is the proxymodel that served an event.
func modelOf(e api.Event) string {
	var r struct{ Runs []abi.RunReport }
	if _ = json.Unmarshal(e.Raw, &r); len(r.Runs) == 0 { // the daemon's own
		return ""
	}
	return r.Runs[0].Model
}

// configIn is the config that a proxymodel, as it is now, gives the role: what its
// YAML says, so that the defaults are those of the module that runs. known keeps it
// for other events.
func configIn(ctx context.Context, daemon *api.Client, model, role string, known map[string]map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	if config, ok := known[model]; ok || model == "" {
		return config, nil
	}
	o, err := daemon.Object(ctx, "proxymodel", "", model)
	if err != nil && !errors.Is(err, abi.ErrNotFound) { // gone since
		return nil, err
	}
	var m struct {
		Spec struct {
			Stages []struct {
				Type   string
				Config map[string]json.RawMessage
			}
		}
	}
	_ = json.Unmarshal(o.Manifest, &m) // the daemon's own; none names no stage
	known[model] = nil
	for _, s := range m.Spec.Stages {
		if s.Type == role {
			known[model] = s.Config
		}
	}
	return known[model], nil
}
