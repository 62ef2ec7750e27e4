package proxy

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
	"github.com/mcpctl/mcpctl/host/proxy/task"
)

// Session is one client's connection to one Project. One method handles each kind of
// request: CallTool, ListTools, ReadResource.
//
// It is safe for concurrent use: clients send requests while others run.
type Session struct {
	*core
	id      string // of the client's connection; a secret of the client
	scope   flow.Scope
	client  Client
	label   string // of the client, in events
	opened  time.Time
	profile Profile
	// allTools reports that controllers show the client all tools: it was not expected to read
	// them again when the session was opened, or its version has lists that do not change.
	allTools bool
	out      stream.Outlet // for messages that belong to no request

	ctx  context.Context // ends with the session
	stop context.CancelFunc

	links    links
	requests clientRequests
	interest interest
	notify   notifier
	index    index
	checker  listChecker
	waits    listWaits
	watch    rereadWatch
	sections sections
	display  display
	inFlight inFlight
	late     lateServers

	steering Steering     // nil: no controllers
	calls    atomic.Int64 // number of calls that controllers saw
	hasTask  atomic.Bool  // a call has become a task
}

// request is one request of the client while it runs.
type request struct {
	jsonrpc.Message
	project *Project
	related stream.Outlet // the stream of the answer
	event   Event

	// Of a conversation in the stateless version.
	steering Steering // nil: that of the session
	handle   string   // of the conversation that this call begins, otherwise ""

	upstream flow.Reply // the last answer of a server
	filtered bool       // a filter reads the answer
	cleaners []cleaner  // of the servers that the answer may quote
}

// cleanWith removes a server's secrets from the event. c may be nil.
func (r *request) cleanWith(c cleaner) {
	if c != nil {
		r.cleaners = append(r.cleaners, c)
	}
}

// info returns the description of the session.
func (s *Session) info() SessionInfo {
	return SessionInfo{Scope: s.scope, Client: s.label, Opened: s.opened, AllTools: s.allTools && !s.client.IsStateless()}
}

// newEvent starts the record of a request.
func (s *Session) newEvent(msg jsonrpc.Message) Event {
	return Event{
		Request: s.requestIDs.Add(1),
		Start:   s.now(),
		Scope:   s.scope,
		Client:  s.label,
		Method:  msg.Method,
	}
}

// record completes the record of a request and adds it to the events.
func (s *Session) record(req *request, reply flow.Reply, err error) {
	if req.Method == "ping" {
		return
	}
	e := &req.event
	e.Duration = s.now().Sub(e.Start)
	e.finish(req.Params, reply, err)
	for _, c := range req.cleaners { // the client gets the server's bytes, people read events
		e.clean(c)
	}
	if s.Events != nil {
		s.Events.Add(*e)
	}
	s.addRecord(req, reply, err)
}

// isSteered reports whether controllers influence the session now.
func (s *Session) isSteered() bool { return s.index.isSteered() }

// taskIDs translates the ids of tasks for this session.
func (s *Session) taskIDs() task.IDs { return task.IDs{Memory: &s.tasks, Scope: s.scope} }

// close ends the session: its requests, connections and controllers. It does not wait.
func (s *Session) close(reason string) {
	s.stop()
	s.watch.close()
	s.inFlight.end()
	s.links.close()
	if s.steering != nil {
		s.steering.Close(reason)
	}
}

// releaseServers closes the connections until the next request. A session that has a
// task keeps its servers, because tasks run without a request.
func (s *Session) releaseServers() {
	if !s.hasTask.Load() {
		s.links.release()
	}
}

// restore restores the log level and the subscriptions of a server that has just
// started, and checks the lists that it has part in.
func (s *Session) restore(ctx context.Context, server Server, up Upstream) {
	if level := s.interest.lastLevel(); level != nil && s.index.hasCapability(server, "logging") {
		_, _ = background{up}.Ask(ctx, "logging/setLevel", level)
	}
	only, one := s.links.project().only()
	for _, uri := range s.interest.subscriptions() {
		if s.index.addresses.Find(uri) == server.Name || one && only.Name == server.Name {
			_, _ = background{up}.Ask(ctx, "resources/subscribe", jsonedit.Object(jsonedit.String("uri", uri)))
		}
	}
	for k := range catalog.Kinds {
		s.checker.check(k, server.Name)
	}
}
