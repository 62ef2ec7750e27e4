package proxy

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
	"github.com/mcpctl/mcpctl/host/proxy/task"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// peer represents a session for one of its servers: during one call, whose stream
// carries the server's messages, or outside of any call.
type peer struct {
	s        *Session
	server   Server
	to       stream.Outlet
	filtered bool // a filter reads the answer of the call
}

// peerFor returns the peer for a call that a request makes.
func (s *Session) peerFor(req *request, server string) *peer {
	return &peer{s: s, to: req.related, server: req.project.server(server), filtered: req.filtered}
}

// requiredCapability is the capability that a client must have declared for a request.
var requiredCapability = map[string]string{
	"sampling/createMessage": "sampling",
	"elicitation/create":     "elicitation",
	"roots/list":             "roots",
}

// Request implements Peer. A client only gets requests for capabilities that it has
// declared. A shared server cannot make requests, because its session is unknown.
func (p *peer) Request(ctx context.Context, method string, params json.RawMessage) flow.Reply {
	if method == "ping" {
		return flow.Reply{Result: []byte(`{}`)}
	}
	needs := requiredCapability[method]
	isMissing := needs != "" && !jsonedit.Has(p.s.client.Capabilities, needs)
	if isMissing && p.s.client.IsStateless() {
		return flow.Reply{Error: stateless.MissingCapability(method, needs).Raw()}
	}
	if p.server.Shared || isMissing {
		return flow.Reply{Error: jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the client does not support %s", method).Raw()}
	}
	return p.s.requests.send(ctx, clientRequest{
		server: p.server.Name,
		via:    p.to,
		key:    flow.QuestionKey(ctx),
		method: method,
		params: p.s.taskIDs().ForClient(p.server.Name, params),
		reason: p.cancelReason,
	})
}

// cancelReason returns why a request to the client is cancelled: the server's own
// reason, unless a filter would have to read it.
func (p *peer) cancelReason(ctx context.Context) string {
	var why *jsonrpc.CancelledError
	if errors.As(context.Cause(ctx), &why) && why.Reason != "" && !p.withholdsText() {
		return why.Reason
	}
	return "the call that asked has ended"
}

// taskStatus is the notification that a task has changed.
const taskStatus = "notifications/tasks/status"

// Notify implements Peer.
func (p *peer) Notify(method string, params json.RawMessage) {
	switch method {
	case "notifications/cancelled": // the context of the Request has ended
	case catalog.Tools.Changed():
		p.listChanged(catalog.Tools)
	case catalog.Prompts.Changed():
		p.listChanged(catalog.Prompts)
	case catalog.Resources.Changed():
		p.listChanged(catalog.Resources)
		p.listChanged(catalog.Templates)
	default:
		p.passOn(method, params)
	}
}

// listChanged checks a list. The client is notified if the joined list has changed.
func (p *peer) listChanged(k catalog.Kind) {
	id := idOf(p.s.scope.Subject, p.server)
	p.s.catalog.Invalidate(id, k)
	if k == catalog.Tools {
		p.s.index.compared.Delete(id) // also after a restart of the server
	}
	p.s.checker.check(k, p.server.Name)
}

// passOn sends a notification to the client.
func (p *peer) passOn(method string, params json.RawMessage) {
	if method == "notifications/message" && p.server.Shared && p.to == p.s.out && !p.s.interest.wantsLog(params) {
		return // it may belong to another session
	}
	if method == taskStatus {
		params = p.s.taskIDs().TaskForClient(p.server.Name, params)
	} else {
		params = p.s.taskIDs().ForClient(p.server.Name, params)
	}
	if params, ok := p.withoutWithheld(method, params); ok {
		sendVia(p.to, p.s.out, stream.Notification(method, params))
	}
}

// withoutWithheld returns the params of a notification without texts that are withheld;
// ok is false if the whole notification is.
func (p *peer) withoutWithheld(method string, params json.RawMessage) (rest json.RawMessage, ok bool) {
	switch {
	case method == taskStatus && p.filtersTask(params):
		return task.WithoutStatusText(params), true
	case method != "notifications/message" && method != "notifications/progress" || !p.withholdsText():
		return params, true
	}
	p.s.log.Debug("text of a notification withheld: a filter reads the call", "server", p.server.Name, "method", method)
	if method == "notifications/message" {
		return nil, false
	}
	return withoutProgressText(params)
}

// withholdsText reports whether a filter reads this call, or another call of the server.
func (p *peer) withholdsText() bool { return p.filtered || p.s.withheld.isActive(p.server.Name) }

// filtersTask reports whether a filter reads the call that became the task in params,
// which contain the client's id. An unknown task counts as the call of a tool without a
// name.
func (p *peer) filtersTask(params json.RawMessage) bool {
	project, err := p.s.Projects.Project(p.s.scope.Project)
	if err != nil {
		return true // its filters are unknown
	}
	t, _ := p.s.tasks.Find(p.s.scope, jsonedit.MemberText(params, "taskId"))
	return project.model(abi.ToolResult, t.Tool.Label()).Filters
}
