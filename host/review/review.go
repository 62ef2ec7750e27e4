// Package review implements proxy.Reviewer: it stores the texts that clients receive,
// records them as events, and holds answers until a person decides about them.
package review

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/correction"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hold"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// Parts are the components of a Reviewer. All are required.
type Parts struct {
	// Store stores a text and returns its ref.
	Store func(ctx context.Context, scope flow.Scope, c flow.Content) (ref string, err error)
	// Original returns a stored text of a project.
	Original    func(project, ref string) (flow.Content, error)
	Describe    func(*proxy.Event) event.Event // for the event of a request
	Watched     func(project string) bool      // somebody follows the events of the project
	Events      *event.Ring
	Holds       *hold.Holds
	Corrections *correction.Store
	Edited      func(correction.Correction) // is called for each edit, which Corrections keeps for a time only; may be nil
	Log         *slog.Logger
}

// Reviewer implements proxy.Reviewer. It is safe for concurrent use.
type Reviewer struct{ Parts }

// Held is the Info of a held answer.
type Held struct {
	Event event.Event // of the request until now
	Type  abi.ContentType
	Hint  string
}

// Review implements proxy.Reviewer.
func (r *Reviewer) Review(ctx context.Context, x *proxy.Exchange) flow.Reply {
	r.storeShown(ctx, x)
	r.addContentEvents(x)
	if r.Holds.IsActive() {
		return r.hold(ctx, x)
	}
	return x.Reply
}

// storeShown stores the texts for the client, unless they are the Originals. Those of a
// project without stages are stored only while somebody follows its events.
func (r *Reviewer) storeShown(ctx context.Context, x *proxy.Exchange) {
	e := x.Event
	own := x.Upstream.Result == nil // mcpctl or a controller answered
	if e.Changed || own || len(e.Refs) == 0 && r.Watched(e.Scope.Project) {
		e.Shown = r.store(ctx, e.Scope, x.Texts())
	}
}

// store returns the refs of texts. If one cannot be stored, none is.
func (r *Reviewer) store(ctx context.Context, scope flow.Scope, texts []flow.Content) (refs []string) {
	for _, c := range texts {
		ref, err := r.Store(ctx, scope, c)
		if err != nil {
			r.Log.Debug("text for the client not stored", "source", c.Source, "error", err)
			return nil
		}
		refs = append(refs, ref)
	}
	return refs
}

// addContentEvents adds the events of the stored content of an answer.
func (r *Reviewer) addContentEvents(x *proxy.Exchange) {
	e := x.Event
	if e.Section == "" && len(e.Refs) > 0 {
		r.Events.Add(r.newEvent(x, event.ContentOriginal))
	}
	if len(e.Shown) > 0 {
		r.Events.Add(r.newEvent(x, event.ContentTransformed))
	}
}

// newEvent returns an event about the content of an answer.
func (r *Reviewer) newEvent(x *proxy.Exchange, t event.Type) event.Event {
	e := x.Event
	out := event.Event{
		Type: t, Request: e.Request, Project: e.Scope.Project, Session: e.Scope.Session, Client: e.Client, Method: e.Method,
		Server: r.Describe(e).Server, Source: e.Label, Section: e.Section, InTokens: e.InTokens, OutTokens: e.OutTokens, Changed: e.Changed,
		Refs: e.Refs, Shown: e.Shown,
	}
	if t == event.ContentOriginal {
		out.Shown, out.OutTokens = nil, 0
	}
	if e.Hold.ID > 0 {
		out.Hold = &event.Hold{ID: e.Hold.ID, Micros: e.Hold.Waited.Microseconds(), Outcome: e.Hold.Outcome}
	}
	return out
}

// dropped is the answer in place of one that a person dropped.
const dropped = "This answer was dropped by the user in Model Studio. Ask the user before you call again."

// hold holds an answer if the rule of its project selects it, and returns the answer
// that a person decided on.
func (r *Reviewer) hold(ctx context.Context, x *proxy.Exchange) flow.Reply {
	e, texts := x.Event, x.Texts()
	if len(texts) == 0 {
		return x.Reply
	}
	a := hold.Answer{Project: e.Scope.Project, Progress: x.Progress, Bytes: len(x.Upstream.Result) + len(x.Reply.Result),
		Info: Held{Event: r.Describe(e), Type: x.Source.Type, Hint: texts[0].Hint}}
	for _, c := range texts {
		a.Texts = append(a.Texts, string(c.Bytes))
	}
	if !r.Holds.Selects(&a) {
		return x.Reply
	}
	begin := time.Now()
	d, ok := r.Holds.Hold(ctx, a, func(a hold.Answer) {
		e.Hold = proxy.Hold{ID: a.ID}
		r.Events.Add(r.newEvent(x, event.ContentPaused))
	})
	if !ok {
		return x.Reply
	}
	e.Hold.Waited, e.Hold.Outcome = time.Since(begin), d.Outcome
	reply := x.Reply
	switch d.Outcome {
	case hold.Dropped:
		reply = x.Refusal(dropped)
		e.Changed, e.OutTokens = true, abi.EstimateTokens([]byte(dropped))
		e.Shown = r.store(ctx, e.Scope, []flow.Content{{Type: x.Source.Type, Source: x.Source.Name, Bytes: []byte(dropped)}})
	case hold.Edited:
		reply = r.edit(ctx, x, texts, d.Texts)
	}
	r.Events.Add(r.newEvent(x, event.ContentReleased))
	return reply
}

// edit returns the answer with the edited texts, and stores what was corrected.
func (r *Reviewer) edit(ctx context.Context, x *proxy.Exchange, texts []flow.Content, edited []string) flow.Reply {
	e := x.Event
	before, all, after := e.Shown, make([][]byte, len(edited)), make([]flow.Content, len(edited))
	if len(before) == 0 {
		before = r.store(ctx, e.Scope, texts)
	}
	for i, text := range edited {
		all[i] = []byte(text)
		after[i] = texts[i]
		after[i].Bytes = all[i]
		e.OutTokens += abi.EstimateTokens(all[i]) - abi.EstimateTokens(texts[i].Bytes)
	}
	r.addCorrections(x, texts, edited)
	e.Shown, e.Changed = r.store(ctx, e.Scope, after), true
	out := r.newEvent(x, event.ContentEdited)
	out.Refs = before
	r.Events.Add(out)
	return x.WithTexts(all)
}

// addCorrections stores each text that was edited.
func (r *Reviewer) addCorrections(x *proxy.Exchange, texts []flow.Content, edited []string) {
	e := x.Event
	for i, text := range edited {
		if text == string(texts[i].Bytes) {
			continue
		}
		c := correction.Correction{
			Project: e.Scope.Project, Session: e.Scope.Session, ContentType: x.Source.Type, Source: e.Label, Hint: texts[i].Hint,
			Original: r.original(e, i, len(edited)), Transformed: string(texts[i].Bytes), Edited: text, Time: time.Now(),
		}
		for _, run := range e.Run {
			c.Model = run.Model
			for _, st := range run.Stages {
				c.Stages = append(c.Stages, correction.Stage{Role: st.Role, ModuleHash: st.ModuleHash, Outcome: st.Outcome, Changed: st.InHash != st.OutHash})
			}
		}
		if err := r.Corrections.Add(c); err != nil {
			r.Log.Warn("correction not stored", "source", e.Label, "error", err)
		}
		if r.Edited != nil {
			r.Edited(c)
		}
	}
}

// original returns the Original of text i of n. If there are not n of them, it is that
// of the only one, or "".
func (r *Reviewer) original(e *proxy.Event, i, n int) string {
	refs := e.Refs
	if e.Section != "" {
		refs, i, n = refs[:1], 0, 1
	}
	if len(refs) == 1 {
		i, n = 0, 1
	}
	if len(refs) != n {
		return ""
	}
	c, err := r.Original(e.Scope.Project, refs[i])
	if err != nil {
		return ""
	}
	return string(c.Bytes)
}
