package proxy

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// peer is a session as one of its servers sees it: for one call, whose answer's
// stream takes what the server sends meanwhile, or for everything else.
type peer struct {
	s        *Session
	server   Server
	to       stream.Outlet
	filtered bool // a filter reads the answer of the call
}

// peer returns the peer of a call that a request makes.
func (s *Session) peer(req *request, server string) *peer {
	p := &peer{s: s, to: req.related, server: Server{Name: server}, filtered: req.filtered}
	for _, v := range req.project.Servers {
		if v.Name == server {
			p.server = v
		}
	}
	return p
}

// clientCapability names what a client must have declared to be asked something.
var clientCapability = map[string]string{
	"sampling/createMessage": "sampling",
	"elicitation/create":     "elicitation",
	"roots/list":             "roots",
}

// Request implements Peer. A client is asked for what it declared and nothing
// else; a shared server cannot ask, since nobody knows whose session it means.
func (p *peer) Request(ctx context.Context, method string, params json.RawMessage) flow.Reply {
	if method == "ping" {
		return flow.Reply{Result: []byte(`{}`)}
	}
	if needs := clientCapability[method]; p.server.Shared || needs != "" && jsonedit.Member(p.s.client.Capabilities, needs).End == 0 {
		return flow.Reply{Error: jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "the client does not support %s", method).Raw()}
	}
	return p.s.asks.ask(ctx, p, method, p.s.relatedForClient(p.server.Name, params))
}

// taskStatus is the notification of a task that has changed.
const taskStatus = "notifications/tasks/status"

// Notify implements Peer.
func (p *peer) Notify(method string, params json.RawMessage) {
	switch method {
	case "notifications/cancelled": // of a Request: its ctx has ended
		return
	case tools.changed():
		p.listChanged(tools)
		return
	case prompts.changed():
		p.listChanged(prompts)
		return
	case resources.changed():
		p.listChanged(resources)
		p.listChanged(templates)
		return
	}
	if method == "notifications/message" && p.server.Shared && p.to == p.s.out && !p.s.hasAskedFor(params) {
		return // it may belong to another session
	}
	if method == taskStatus {
		params = p.s.tasksForClient(p.server.Name, params)
	} else {
		params = p.s.relatedForClient(p.server.Name, params)
	}
	if told, ok := p.aside(method, params); ok {
		p.send(stream.Notification(method, told), stream.Droppable)
	}
}

// listChanged looks at the list that the server says has changed: the client is
// told if ours did.
func (p *peer) listChanged(k listKind) {
	p.s.e.catalog.outdate(p.s.scope.Subject, p.server, k)
	p.s.recheck(k, p.server.Name)
}

// send writes a frame to the stream of the call, or to the session's own stream if
// the call has been answered.
func (p *peer) send(frame []byte, u stream.Urgency) {
	if !p.to.Send(frame, u) && p.to != p.s.out {
		p.s.out.Send(frame, u)
	}
}
