package host

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/host/event"
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
		Runs: e.Run, Stale: e.Stale, IsError: e.Failed || e.Code != 0, Code: e.Code, Error: e.Error,
	}
	if e.Hold.ID > 0 {
		out.Hold = &event.Hold{ID: e.Hold.ID, Micros: e.Hold.Waited.Microseconds(), Outcome: e.Hold.Outcome}
	}
	return out
}

// AddSession records the begin or the end of a session. It implements proxy.Events.
func (l eventLog) AddSession(s proxy.SessionInfo, ended string) {
	e := event.Event{Type: event.SessionOpened, Project: s.Scope.Project, Session: s.Scope.Session, Client: s.Client}
	if ended != "" {
		e.Type, e.Change = event.SessionClosed, &event.Change{Reason: ended}
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
// continues an interrupted stream; project, session, server, source and type filter it.
func (h *Host) Inspect() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		after, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64) // zero starts at the beginning
		q := queryOf(r)
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

func queryOf(r *http.Request) event.Query {
	v := r.URL.Query()
	q := event.Query{Project: v.Get("project"), Session: v.Get("session"), Server: v.Get("server"), Source: v.Get("source"), Errors: v.Has("errors")}
	for _, t := range v["type"] {
		q.Types = append(q.Types, event.Type(t))
	}
	return q
}

// Events returns the stored events after an id, oldest first.
func (h *Host) Events(after uint64, q event.Query) []event.Event { return h.events.Since(after, q) }
