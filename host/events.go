package host

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/event"
	"github.com/mcpctl/mcpctl/host/event/query"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// eventTypes maps methods to event types. Other methods have the type
// event.Request.
var eventTypes = map[string]event.Type{
	"tools/call":     event.ToolCall,
	"resources/read": event.ResourceRead,
	"prompts/get":    event.PromptGet,
}

// eventLog implements proxy.Events with a Host.
type eventLog struct{ h *Host }

// Add records a request. It implements proxy.Events.
func (l eventLog) Add(e proxy.Event) {
	t, _ := typeAndServer(&e)
	l.h.meter.Add(t, e)
	l.h.events.Add(l.describe(&e))
}

// describe returns the event of a request.
func (l eventLog) describe(e *proxy.Event) event.Event {
	t, server := typeAndServer(e)
	out := event.Event{
		Type: t, Request: e.Request, Time: e.Start.UTC(), Project: e.Scope.Project, Session: e.Scope.Session, Client: e.Client,
		Method: e.Method, Server: server, Source: e.Label,
		Args: l.digest(e.Args), Called: e.Called, RoutedArgs: l.digest(e.RoutedArgs), Hooks: e.Hooks, BlockUnseen: e.BlockUnseen,
		InBytes: e.InBytes, InTokens: e.InTokens, OutBytes: e.OutBytes, OutTokens: e.OutTokens, Micros: e.Duration.Microseconds(),
		UpstreamMicros: e.Upstream.Microseconds(),
		Changed:        e.Changed, Refs: e.Refs, Shown: e.Shown, Section: e.Section, Range: e.Range,
		Runs: e.Run, Stale: e.Stale, ListIgnored: e.ListIgnored, IsError: e.Failed || e.Code != 0, Code: e.Code, Error: e.Error,
	}
	if e.Hold.ID > 0 {
		out.Hold = &event.Hold{ID: e.Hold.ID, Micros: e.Hold.Waited.Microseconds(), Outcome: e.Hold.Outcome}
	}
	return out
}

// AddSession records the begin or the end of a session. It implements proxy.Events.
func (l eventLog) AddSession(s proxy.SessionInfo, ended string) {
	e := event.Event{Type: event.SessionOpened, Project: s.Scope.Project, Session: s.Scope.Session, Client: s.Client}
	if s.AllTools {
		e.Change = &event.Change{Reason: "the client does not read its tools again after list_changed, so it gets all of them at once"}
	}
	if ended != "" {
		e.Type, e.Change = event.SessionClosed, &event.Change{Reason: ended}
		if l.h.recorder != nil {
			l.h.recorder.EndSession(s.Scope.Session)
		}
	}
	l.h.events.Add(e)
}

// addServerState records that the status of a connection to a server has changed.
func (l eventLog) addServerState(server string, from, to upstream.Status, reason string) {
	l.h.events.Add(event.Event{Type: event.ServerState, Server: server, Source: server,
		Change: &event.Change{Name: server, From: string(from), To: string(to), Reason: reason}})
}

// typeAndServer returns the type of the event of a request, and the server that answered.
func typeAndServer(e *proxy.Event) (t event.Type, server string) {
	t, ok := eventTypes[e.Method]
	switch {
	case !ok:
		t = event.Request
	case e.Label == "read_section":
		t = event.SectionRead
	}
	server, _, named := strings.Cut(e.Label, "/")
	if t != event.ToolCall && t != event.PromptGet || !named {
		server = "" // a tool of the host or of a controller
	}
	return t, server
}

// digest returns the digest of arguments, nil if there are none.
func (l eventLog) digest(args []byte) *event.Digest {
	if len(args) == 0 {
		return nil
	}
	return l.h.events.Digest(args)
}

// keepAlive is the interval of keep-alive messages in an idle event stream.
const keepAlive = 15 * time.Second

// Inspect streams events as server-sent events, the stored ones first. Last-Event-ID
// continues an interrupted stream. The parameters select events: project, session,
// server, source, type and errors, and the query l as in Select. after and limit restrict
// the stored events to later ones and to the newest ones.
//
// refuse answers a request with an invalid parameter, before the stream starts.
func (h *Host) Inspect(refuse func(http.ResponseWriter, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		after, q, err := h.Studio().queryOf(r)
		if err != nil {
			refuse(w, err)
			return
		}
		defer h.watchers.add(q.Project)()
		events, cancel := h.events.Subscribe(r.Context(), after, q)
		defer cancel()
		out := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		if out.Flush() != nil {
			return
		}
		tick := time.NewTicker(keepAlive)
		defer tick.Stop()
		for {
			var err error
			select {
			case <-h.life.Done():
				return
			case <-tick.C:
				err = event.WriteKeepAlive(w)
			case e, ok := <-events:
				if !ok {
					return
				}
				err = event.WriteSSE(w, e)
			}
			if err != nil || out.Flush() != nil {
				return
			}
		}
	})
}

// queryOf returns the id after which a stream starts and the query of a request.
func (s Studio) queryOf(r *http.Request) (after uint64, q event.Query, err error) {
	v := r.URL.Query()
	q = event.Query{Project: v.Get("project"), Session: v.Get("session"), Server: v.Get("server"), Source: v.Get("source"), Errors: v.Has("errors")}
	for _, t := range v["type"] {
		q.Types = append(q.Types, event.Type(t))
	}
	if after, err = strconv.ParseUint(cmp.Or(r.Header.Get("Last-Event-ID"), v.Get("after"), "0"), 10, 64); err != nil {
		return 0, q, fmt.Errorf("%w: after %.20q is not an event id", abi.ErrConfig, v.Get("after"))
	}
	if q.Limit, err = strconv.Atoi(cmp.Or(v.Get("limit"), "0")); err != nil || q.Limit < 0 {
		return 0, q, fmt.Errorf("%w: limit %.20q is not a number of events", abi.ErrConfig, v.Get("limit"))
	}
	if len(q.Types) == 0 || v.Get("l") != "" {
		q.Match, err = s.Select(v.Get("l"))
	}
	return after, q, err
}

// Events returns the stored events after an id, oldest first.
func (h *Host) Events(after uint64, q event.Query) []event.Event { return h.events.Since(after, q) }

// Select returns a function that reports whether a listing with a query shows an event.
// Words of the query are also searched in the originals and in the texts that the client
// received. Without `type:`, a listing shows no content_original and no
// content_transformed; an empty query is the default view of all listings.
//
// Errors: abi.ErrConfig, a *query.SyntaxError.
func (s Studio) Select(text string) (func(event.Event) bool, error) {
	q, err := query.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w\nhint: mcpctl help query", err)
	}
	return func(e event.Event) bool {
		return q.Listed(e.Type) && q.Matches(query.Record{Event: e, Text: func() []string { return s.textsOf(&e) }})
	}, nil
}

// Limits of the texts of one event that are searched.
const (
	maxSearchedText  = 4 << 20 // longer ones are not searched
	maxSearchedTexts = 64
)

// textsOf returns the stored texts of an event.
func (s Studio) textsOf(e *event.Event) (texts []string) {
	scope := s.h.config.Owner(flow.Scope{Project: e.Project})
	refs := slices.Concat(e.Refs, e.Shown)
	for _, ref := range refs[:min(len(refs), maxSearchedTexts)] {
		if b, err := s.h.contents.Peek(scope, ref, maxSearchedText); err == nil { // it may have expired
			texts = append(texts, string(b))
		}
	}
	return texts
}
