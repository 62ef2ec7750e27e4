// Package pane loads the texts of one event and lays them out as the views of a screen: original,
// transformed, difference, tokens, stages and replay. It keeps the texts of a few events only.
package pane

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/compare"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/screen"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/studio/traffic"
)

// Source is the part of the management API that has the texts.
type Source interface {
	Body(ctx context.Context, event uint64, kind api.BodyKind) (api.Body, error)
	Hold(ctx context.Context, id uint64) (api.Hold, error)
	Replay(ctx context.Context, event uint64) (api.Replay, error)
}

// Kind is a view of an event.
type Kind int

// The views.
const (
	Original Kind = iota
	Transformed
	Diff // of the original and the text that the client received, or of that text and its edit
	Edited
	Tokens
	Stage
	Replay
)

// Request selects a view.
type Request struct {
	Entry    traffic.Entry
	Kind     Kind
	Step     int  // of Stage: index; negative values count from the end
	StepDiff bool // of Stage: the difference to its input
	Width    int
	Edit     []string // the edited texts of a held answer; nil without an edit
}

// Doc is a view that is ready to be drawn.
type Doc struct {
	Title  string
	Text   *screen.Text
	Raw    string // the text without layout, for copying
	Tokens int    // est., of Raw; 0 if it is no text for a model
	Step   int    // of Stage
	Steps  int    // number of stages
}

// text is one text of a result.
type text struct {
	label string
	body  string
}

// texts are the loaded texts of an event.
type texts struct {
	original, shown []text
}

// Loader loads views. It is safe for concurrent use.
type Loader struct {
	src     Source
	bodies  *recent[texts]
	replays *recent[api.Replay]
}

// NewLoader returns a Loader without texts.
func NewLoader(src Source) *Loader {
	return &Loader{src: src, bodies: newRecent[texts](8, 8<<20), replays: newRecent[api.Replay](2, 8<<20)}
}

// Forget removes all texts: the next request loads them again.
func (l *Loader) Forget() {
	l.bodies.clear()
	l.replays.clear()
}

// Load returns a view.
//
// Errors: abi.ErrNotFound if the texts are no longer stored.
func (l *Loader) Load(ctx context.Context, r Request) (Doc, error) {
	if !r.Entry.HasBody && !r.Entry.Held() && r.Kind != Tokens {
		return lay("event", detailRows(r.Entry), "", r.Width), nil
	}
	t, err := l.texts(ctx, r.Entry)
	if err != nil {
		return Doc{}, err
	}
	switch r.Kind {
	case Original:
		return document("original", t.original, r), nil
	case Transformed:
		return document(shownTitle(r.Entry), t.shown, r), nil
	case Edited:
		return document("edited, not released", withTexts(t.shown, r.Edit), r), nil
	case Diff:
		return diff(t, r), nil
	case Tokens:
		return lay("tokens, estimated", tokenRows(t, r.Entry), "", r.Width), nil
	}
	replay, err := l.replay(ctx, r.Entry.ID)
	if err != nil {
		return Doc{}, err
	}
	if r.Kind == Stage {
		return stage(t, replay, r)
	}
	return lay("replay, compared with the text that was sent", replayRows(t, replay), "", r.Width), nil
}

func shownTitle(e traffic.Entry) string {
	if e.Held() {
		return "transformed, held"
	}
	return "transformed"
}

func (l *Loader) texts(ctx context.Context, e traffic.Entry) (texts, error) {
	if t, ok := l.bodies.get(e.ID); ok {
		return t, nil
	}
	t, err := l.fetch(ctx, e)
	if err != nil {
		return t, err
	}
	size := 0
	for _, x := range append(t.original[:len(t.original):len(t.original)], t.shown...) {
		size += len(x.body)
	}
	l.bodies.put(e.ID, t, size)
	return t, nil
}

func (l *Loader) fetch(ctx context.Context, e traffic.Entry) (t texts, err error) {
	if e.Held() {
		h, err := l.src.Hold(ctx, e.Hold)
		return texts{original: ofTexts(h.Original), shown: ofTexts(h.Shown)}, err
	}
	original, err := l.src.Body(ctx, e.ID, api.BodyOriginal)
	if err != nil {
		return t, err
	}
	shown, err := l.src.Body(ctx, e.ID, api.BodyShown)
	return texts{original: ofParts(original.Parts), shown: ofParts(shown.Parts)}, err
}

func ofTexts(list []string) (out []text) {
	for _, s := range list {
		out = append(out, text{body: s})
	}
	return out
}

func ofParts(parts []api.BodyPart) (out []text) {
	for _, p := range parts {
		label := p.Source
		if p.MIME != "" {
			label += " " + p.MIME
		}
		out = append(out, text{label: screen.Clean(label), body: p.Text})
	}
	return out
}

func withTexts(list []text, edit []string) []text {
	out := make([]text, len(edit))
	for i, s := range edit {
		if i < len(list) {
			out[i] = list[i]
		}
		out[i].body = s
	}
	return out
}

func (l *Loader) replay(ctx context.Context, event uint64) (api.Replay, error) {
	if r, ok := l.replays.get(event); ok {
		return r, nil
	}
	r, err := l.src.Replay(ctx, event)
	if err != nil {
		return r, err
	}
	size := 0
	for _, p := range r.Parts {
		for _, s := range p.Stages {
			size += len(s.Text)
		}
	}
	l.replays.put(event, r, size)
	return r, nil
}

func lay(title string, rows []screen.Row, raw string, width int) Doc {
	return Doc{Title: title, Text: screen.Wrap(rows, width), Raw: raw}
}

// document lays out all texts of a result, one below the other.
func document(title string, list []text, r Request) Doc {
	var rows []screen.Row
	if n := r.Entry.Note; n != "" {
		rows = append(rows, screen.Row{Text: n, Style: screen.Yellow})
	}
	var raw []string
	for i, t := range list {
		rows = append(rows, heading(i, len(list), t.label)...)
		rows = append(rows, bodyRows(t.body)...)
		raw = append(raw, t.body)
	}
	if len(list) == 0 {
		rows = append(rows, dim("no text")...)
	}
	d := lay(title, rows, strings.Join(raw, "\n"), r.Width)
	d.Tokens = abi.EstimateTokens([]byte(d.Raw))
	return d
}

// maxShown is the size of a text that is laid out; more is not readable on a screen.
const maxShown = 4 << 20

func bodyRows(s string) []screen.Row {
	if len(s) <= maxShown {
		return screen.Rows(s, screen.Plain)
	}
	return append(screen.Rows(strings.ToValidUTF8(s[:maxShown], ""), screen.Plain), dim(fmt.Sprintf("... %d more bytes", len(s)-maxShown))...)
}

func dim(s string) []screen.Row { return []screen.Row{{Text: s, Style: screen.Dim}} }

// heading separates the texts of a result that has several.
func heading(i, n int, label string) []screen.Row {
	if n < 2 {
		return nil
	}
	s := fmt.Sprintf("── part %d of %d", i+1, n)
	if label != "" {
		s += ", " + label
	}
	return []screen.Row{{Text: s, Style: screen.Cyan}}
}

// diff compares part by part.
func diff(t texts, r Request) Doc {
	title, before, after := "original and transformed", t.original, t.shown
	if r.Edit != nil {
		title, before, after = "transformed and edited", t.shown, withTexts(t.shown, r.Edit)
	}
	return lay("difference of "+title, pairRows(before, after), "", r.Width)
}

func pairRows(before, after []text) (rows []screen.Row) {
	n := max(len(before), len(after))
	for i := range n {
		var a, b text
		if i < len(before) {
			a = before[i]
		}
		if i < len(after) {
			b = after[i]
		}
		rows = append(rows, heading(i, n, a.label)...)
		rows = append(rows, compare.Texts(a.body, b.body)...)
	}
	if n == 0 {
		rows = dim("no text")
	}
	return rows
}

func stage(t texts, replay api.Replay, r Request) (Doc, error) {
	list := steps(t, replay)
	if len(list) == 0 {
		return Doc{}, problem.New(abi.ErrNotFound, "no stage runs for this event")
	}
	at := r.Step
	if at < 0 {
		at += len(list)
	}
	at = min(max(at, 0), len(list)-1)
	s := list[at]
	rows := s.headRows(r.Entry)
	if r.StepDiff {
		rows = append(rows, compare.Texts(s.input, s.run.Text)...)
	} else {
		rows = append(rows, bodyRows(s.run.Text)...)
	}
	what := "output"
	if r.StepDiff {
		what = "difference to its input"
	}
	d := lay(fmt.Sprintf("stage %d of %d, %s: %s", at+1, len(list), screen.Clean(s.run.Role), what), rows, s.run.Text, r.Width)
	d.Step, d.Steps = at, len(list)
	if !r.StepDiff {
		d.Tokens = abi.EstimateTokens([]byte(s.run.Text))
	}
	return d, nil
}
