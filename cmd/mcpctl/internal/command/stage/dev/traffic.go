package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/textdiff"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/lab"
	"github.com/mcpctl/mcpctl/host/object"
)

// shown is the result of one version of a stage for a content.
type shown struct {
	text    string // the text that a client would read
	reason  string // why it failed
	effect  string // how a daemon handles the failure
	outcome lab.Outcome
	tokens  int
}

// show runs the module over a content.
//
// Errors: abi.ErrConfig if its config does not fit the module.
func (w *watch) show(ctx context.Context, c content) (shown, error) {
	r, err := w.module.Run(ctx, c.call)
	if err != nil {
		return shown{}, err
	}
	if r.Outcome == lab.Fail {
		return c.failure(r.Reason), nil
	}
	text, err := w.module.Shown(c.call.Input, r)
	if err != nil {
		return c.failure(err.Error()), nil
	}
	return shown{text: string(text), outcome: r.Outcome, tokens: abi.EstimateTokens(text)}, nil
}

// failure returns the result of a failed run. Its effect says what a daemon returns to the client
// in that case, which depends on onFailure.
func (c content) failure(why string) shown {
	s := shown{reason: why, outcome: lab.Fail}
	switch c.onFailure {
	case object.OnFailureBlock:
		s.effect = "the content is withheld"
	case object.OnFailurePlaceholder:
		s.effect = "a placeholder replaces the content"
	default:
		s.effect = "the content passes unchanged"
		s.text, s.tokens = string(c.call.Input), abi.EstimateTokens(c.call.Input)
	}
	return s
}

// tests runs the tests of every role on the module.
func (w *watch) tests(ctx context.Context, r *round) error {
	for _, role := range w.roles {
		tests, err := w.source.tests(ctx, w.module, role)
		if err != nil {
			return err
		}
		for _, t := range tests {
			t.Name = w.label(role, t.Name)
			r.Tests = append(r.Tests, t)
		}
	}
	return nil
}

// traffic runs the inputs of the tests and the contents of the project, and compares with
// the build before.
func (w *watch) traffic(ctx context.Context, r *round) error {
	for _, c := range w.contents() {
		now, err := w.show(ctx, c)
		if errors.Is(err, abi.ErrConfig) {
			now, err = shown{reason: problem.From(problem.WithoutPositions(err)).Error(), effect: "its config is invalid for this version", outcome: lab.Fail}, nil
		}
		if err != nil {
			return err
		}
		out := change{Content: c.name, test: c.test, Outcome: now.outcome, Reason: now.reason, Effect: now.effect, Original: abi.EstimateTokens(c.call.Input), Tokens: now.tokens}
		if before, ok := w.before[c.name]; ok {
			out.Before = &before.tokens
			if now.outcome != lab.Fail { // its text is not written by the stage
				out.Diff = textdiff.Lines("before", "now", before.text, now.text)
			}
		}
		r.Contents = append(r.Contents, out)
	}
	return nil
}

// fetch gets the last contents of the project from the daemon; those of the round
// before are asked for no more, and stay if it does not answer.
func (w *watch) fetch(ctx context.Context) error {
	if w.opts.Project == "" || w.opts.Events == 0 {
		return nil
	}
	daemon, err := w.opts.F.Daemon()
	if err != nil {
		return err
	}
	events, err := daemon.Events(ctx, api.EventQuery{Project: w.opts.Project})
	if err != nil {
		return err
	}
	var lives []live
	known := map[string]entries{}
	for _, u := range newest(events) {
		if len(lives) == w.opts.Events {
			break
		}
		name := fmt.Sprintf("event %d %s (%s)", u.event.ID, u.event.Source, u.ref)
		of, err := entriesOf(ctx, daemon, u.model, known)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(w.lives, func(l live) bool { return l.name == name }); i >= 0 {
			lives = append(lives, live{name, of, w.lives[i].Original})
			continue
		}
		o, err := daemon.Original(ctx, w.opts.Project, u.ref)
		if errors.Is(err, abi.ErrNotFound) {
			continue // it has gone since
		}
		if err != nil {
			return err
		}
		lives = append(lives, live{name, of, o})
	}
	slices.Reverse(lives) // oldest first
	w.lives = lives
	return nil
}

// use is the last use of a stored content.
type use struct {
	ref   string
	event api.Event
	model string // the proxymodel that served it last, "" if no event names one
}

// newest returns the last use of each stored content in events, from the last event on.
func newest(events []api.Event) (uses []use) {
	at := map[string]int{} // in uses, by ref
	for _, e := range slices.Backward(events) {
		var r struct{ Refs []string }
		_ = json.Unmarshal(e.Raw, &r) // from the daemon; an event without a ref leaves r empty
		for _, ref := range r.Refs {
			if i, ok := at[ref]; !ok {
				at[ref] = len(uses)
				uses = append(uses, use{ref, e, modelOf(e)})
			} else if uses[i].model == "" {
				uses[i].model = modelOf(e)
			}
		}
	}
	return uses
}

// modelOf is the proxymodel that served an event.
func modelOf(e api.Event) string {
	var r struct{ Runs []flow.RunReport }
	if _ = json.Unmarshal(e.Raw, &r); len(r.Runs) == 0 { // the daemon's own
		return ""
	}
	return r.Runs[0].Model
}

// entriesOf returns the entries of the stages in a proxymodel, in its present version. Their
// configs are those of its YAML, so that the defaults are those of the module that runs. known
// keeps the entries for other events.
func entriesOf(ctx context.Context, daemon *api.Client, model string, known map[string]entries) (entries, error) {
	if of, ok := known[model]; ok || model == "" {
		return of, nil
	}
	o, err := daemon.Object(ctx, "proxymodel", "", model)
	if err != nil && !errors.Is(err, abi.ErrNotFound) { // gone since
		return nil, err
	}
	var m struct {
		Spec struct {
			Stages []struct {
				Type string
				entry
			}
		}
	}
	_ = json.Unmarshal(o.Manifest, &m) // the daemon's own; an empty one names no stage
	of := entries{}
	for _, s := range m.Spec.Stages {
		of[s.Type] = s.entry
	}
	known[model] = of
	return of, nil
}
