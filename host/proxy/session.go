package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// maxInFlight bounds the requests of one session that run at once, and the
// requests of ours that wait for one client.
const maxInFlight = 1024

// Session is one client's connection to one Project. What a
// client asks for is one method of it: CallTool, ListTools, ReadResource.
//
// It is safe for concurrent use: a client sends requests while others run.
type Session struct {
	e       *Endpoint
	id      string // of the client's connection; known to nobody else
	scope   flow.Scope
	client  Client
	label   string // of the client, in events
	profile Profile
	out     stream.Outlet // what belongs to no request

	ctx  context.Context // ends with the session
	stop context.CancelFunc

	links  links
	asks   asks
	stored storedCalls

	tools   atomic.Pointer[toolset]
	prompts atomic.Pointer[names.Table]
	book    addressBook
	lists   listState

	steering Steering // nil: no controllers
	late     lateServers
	rereads  rereads
	calls    atomic.Int64 // that they were asked about
	waited   atomic.Bool  // a call of theirs has waited for the names of tools
	madeTask atomic.Bool  // a call has become a task

	mu       sync.Mutex
	inFlight map[jsonrpc.ID]context.CancelCauseFunc
	level    json.RawMessage     // params of the last logging/setLevel
	logging  bool                // was declared to the client
	watched  map[string]struct{} // URIs subscribed to
}

// request is one request of the client while it runs.
type request struct {
	jsonrpc.Message
	project *Project
	related stream.Outlet // the answer's stream
	event   Event

	filtered bool // a filter reads the answer

	cleaners []cleaner // of the servers that the answer may quote
}

// errCancelled ends a request that the client no longer waits for.
var errCancelled = errors.New("request cancelled")

// Handle answers one request. What servers send because of it goes to related
// before the answer. wanted is false if the client has taken the request back
// and waits for no answer.
func (s *Session) Handle(ctx context.Context, project *Project, msg jsonrpc.Message, related stream.Outlet) (answer jsonrpc.Message, wanted bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := s.enter(msg.ID, cancel); err != nil {
		return failure(msg.ID, err), true
	}
	defer s.leave(msg.ID)
	s.links.released.Store(false)
	s.links.sync(s, project)
	req := &request{Message: msg, project: project, related: related, event: s.event(msg)}
	reply, err := s.dispatch(ctx, req)
	if isCancelled(ctx) {
		err = errCancelled
	}
	s.record(req, reply, err)
	if err != nil {
		return failure(msg.ID, err), !errors.Is(err, errCancelled)
	}
	return jsonrpc.Message{ID: msg.ID, Result: reply.Result, Error: reply.Error}, true
}

// isCancelled reports whether the client has cancelled the request of ctx.
func isCancelled(ctx context.Context) bool {
	var why *jsonrpc.CancelledError
	return errors.As(context.Cause(ctx), &why)
}

// enter makes the request known to notifications/cancelled and to the end of
// the session.
func (s *Session) enter(id jsonrpc.ID, cancel context.CancelCauseFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return jsonrpc.Errorf(codeServer, "session ended")
	case len(s.inFlight) >= maxInFlight:
		return jsonrpc.Errorf(codeServer, "%d requests are running, limit %d", len(s.inFlight), maxInFlight)
	case s.inFlight[id] != nil:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "request id %s is in use", id)
	}
	s.inFlight[id] = cancel
	return nil
}

func (s *Session) leave(id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, id)
}

// dispatch calls the method for a request. A panic in our own code costs this
// one request.
func (s *Session) dispatch(ctx context.Context, req *request) (reply flow.Reply, err error) {
	defer s.e.recovered(req.Method, &err)
	if handle, ok := handlers[req.Method]; ok {
		return handle(s, ctx, req)
	}
	return s.passOn(ctx, req)
}

// handlers are the methods that we know; every other is passed on.
var handlers = map[string]func(*Session, context.Context, *request) (flow.Reply, error){
	"ping":                     (*Session).ping,
	"tools/list":               (*Session).ListTools,
	"tools/call":               (*Session).CallTool,
	"prompts/list":             (*Session).ListPrompts,
	"prompts/get":              (*Session).GetPrompt,
	"resources/list":           (*Session).ListResources,
	"resources/templates/list": (*Session).ListTemplates,
	"resources/read":           (*Session).ReadResource,
	"resources/subscribe":      (*Session).Subscribe,
	"resources/unsubscribe":    (*Session).Unsubscribe,
	"completion/complete":      (*Session).Complete,
	"logging/setLevel":         (*Session).SetLevel,
	"tasks/get":                (*Session).GetTask,
	"tasks/list":               (*Session).ListTasks,
	"tasks/cancel":             (*Session).CancelTask,
	"tasks/result":             (*Session).TaskResult,
}

func (s *Session) ping(context.Context, *request) (flow.Reply, error) {
	return flow.Reply{Result: []byte(`{}`)}, nil
}

// passOn sends a request that we do not know to the project's only server.
func (s *Session) passOn(ctx context.Context, req *request) (flow.Reply, error) {
	server, ok := req.project.only()
	if !ok {
		return flow.Reply{}, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "method not found: %q", req.Method)
	}
	return s.askServer(ctx, req, server.Name, req.Params)
}

// askServer sends a request to one server. Of its params only the id of a related task
// may change.
func (s *Session) askServer(ctx context.Context, req *request, server string, params json.RawMessage) (flow.Reply, error) {
	up, done, err := s.upstreamFor(req, server)
	if err != nil {
		return flow.Reply{}, err
	}
	defer done()
	begin := s.e.now()
	reply, err := up.Call(ctx, req.Method, s.relatedForServer(server, params), s.peer(req, server))
	s.received(&req.event, reply, begin)
	return reply, err
}

// Notify takes a notification of the client.
func (s *Session) Notify(ctx context.Context, project *Project, msg jsonrpc.Message) {
	var failed error
	defer s.e.recovered(msg.Method, &failed)
	s.links.sync(s, project)
	switch msg.Method {
	case "notifications/initialized": // each server had its own
	case "notifications/cancelled":
		s.cancelled(msg.Params)
	case "notifications/progress":
		s.asks.progress(ctx, msg.Params)
	case "notifications/roots/list_changed":
		s.links.each(func(server Server, up Upstream) {
			if !server.Shared {
				_ = up.Notify(ctx, msg.Method, msg.Params) // one that is away asks when it is back
			}
		})
	case taskStatus:
		if server := s.asks.taskServer(msg.Params); server != "" {
			s.notifyServer(ctx, project, server, msg)
			return
		}
		s.notifyOnly(ctx, project, msg)
	default:
		s.notifyOnly(ctx, project, msg)
	}
}

// notifyOnly passes a notification on to the project's only server.
func (s *Session) notifyOnly(ctx context.Context, project *Project, msg jsonrpc.Message) {
	if server, ok := project.only(); ok {
		s.notifyServer(ctx, project, server.Name, msg)
	}
}

func (s *Session) notifyServer(ctx context.Context, project *Project, server string, msg jsonrpc.Message) {
	up, done, err := s.upstream(project, server)
	if err != nil {
		return
	}
	defer done()
	if err := up.Notify(ctx, msg.Method, s.relatedForServer(server, msg.Params)); err != nil {
		s.e.log.Debug("notification of a client not passed on", "method", msg.Method, "err", err)
	}
}

// cancelled ends the request that the client names. Its server gets the client's
// reason: the cause of the context.
func (s *Session) cancelled(params json.RawMessage) {
	id, why, err := jsonrpc.DecodeCancelled(params)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.inFlight[id]; cancel != nil {
		cancel(why)
	}
}

// Answered takes the client's answer to a request of ours.
func (s *Session) Answered(msg jsonrpc.Message) { s.asks.settle(msg) }

// close ends the session: its requests, its connections, its controllers. It does
// not wait.
func (s *Session) close(reason string) {
	s.mu.Lock()
	s.stop()
	for _, cancel := range s.inFlight {
		cancel(context.Canceled)
	}
	s.mu.Unlock()
	s.closeLinks()
	s.endSteering(reason)
}
