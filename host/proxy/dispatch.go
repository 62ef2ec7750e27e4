package proxy

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// Handle answers one request. Messages of servers that belong to it go to related before
// the answer. wanted is false if the client has cancelled the request and waits for no
// answer.
func (s *Session) Handle(ctx context.Context, project *Project, msg jsonrpc.Message, related stream.Outlet) (answer jsonrpc.Message, wanted bool) {
	return handle(ctx, s, &request{Message: msg, project: project, related: related, event: s.newEvent(msg)})
}

// handle is Handle for a request that the caller has prepared.
func handle(ctx context.Context, s *Session, req *request) (answer jsonrpc.Message, wanted bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := s.inFlight.enter(req.ID, cancel); err != nil {
		return failure(req.ID, err), true
	}
	defer s.inFlight.leave(req.ID)
	s.links.released.Store(false)
	s.links.sync(req.project)
	reply, err := s.dispatch(ctx, req)
	if err == nil && !isCancelled(ctx) {
		reply = s.review(ctx, req, reply) // 11 review
	}
	if isCancelled(ctx) {
		err = errCancelled
	}
	s.record(req, reply, err) // 12 event
	if err != nil {
		return failure(req.ID, err), !errors.Is(err, errCancelled)
	}
	return jsonrpc.Message{ID: req.ID, Result: reply.Result, Error: reply.Error}, true
}

// isCancelled reports whether the client has cancelled the request of ctx.
func isCancelled(ctx context.Context) bool {
	var why *jsonrpc.CancelledError
	return errors.As(context.Cause(ctx), &why)
}

// dispatch calls the method for a request. A panic fails this one request.
func (s *Session) dispatch(ctx context.Context, req *request) (reply flow.Reply, err error) {
	defer s.recovered(req.Method, &err)
	if answer, ok := handlers[req.Method]; ok {
		return answer(s, ctx, req)
	}
	return s.passOn(ctx, req)
}

// handlers are the known methods. Other requests are passed on.
var handlers = map[string]func(*Session, context.Context, *request) (flow.Reply, error){
	"ping":                     ping,
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

func ping(*Session, context.Context, *request) (flow.Reply, error) {
	return flow.Reply{Result: []byte(`{}`)}, nil
}

// Notify handles a notification of the client.
func (s *Session) Notify(ctx context.Context, project *Project, msg jsonrpc.Message) {
	var failed error
	defer s.recovered(msg.Method, &failed)
	s.links.sync(project)
	switch msg.Method {
	case "notifications/initialized": // each server has got its own
	case "notifications/cancelled":
		s.inFlight.cancel(msg.Params)
	case "notifications/progress":
		if server := s.requests.progressServer(msg.Params); server != "" {
			s.notifyServer(ctx, project, server, msg)
		}
	case "notifications/roots/list_changed":
		s.links.each(func(server Server, up Upstream) {
			if !server.Shared {
				_ = up.Notify(ctx, msg.Method, msg.Params) // an unavailable server asks when it is back
			}
		})
	case taskStatus:
		if server := s.requests.taskServer(msg.Params); server != "" {
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
	up, done, err := s.links.upstream(project, server)
	if err != nil {
		return
	}
	defer done()
	if err := up.Notify(ctx, msg.Method, s.taskIDs().ForServer(server, msg.Params)); err != nil {
		s.log.Debug("notification of a client not passed on", "method", msg.Method, "err", err)
	}
}

// Answered handles the client's answer to a server's request.
func (s *Session) Answered(msg jsonrpc.Message) { s.requests.settle(msg, s.taskIDs()) }
