package proxy

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/mcpctl/mcpctl/host/flow"
)

// askServer sends a request to one server. Only the id of a related task in the params
// may change.
func (s *Session) askServer(ctx context.Context, req *request, server string, params json.RawMessage) (flow.Reply, error) {
	return s.ask(ctx, req, server, params, false)
}

// ask is askServer. A repeatable request may be sent twice.
func (s *Session) ask(ctx context.Context, req *request, server string, params json.RawMessage, repeatable bool) (flow.Reply, error) {
	up, done, err := s.upstreamFor(req, server)
	if err != nil {
		return flow.Reply{}, err
	}
	defer done()
	send := up.Call
	if repeatable {
		send = up.CallRepeatable
	}
	begin := s.now()
	ctx = flow.WithTrace(ctx, s.scope.Session+"."+strconv.FormatUint(req.event.Request, 10)) // as in the event
	reply, err := send(ctx, req.Method, s.taskIDs().ForServer(server, params), s.peerFor(req, server))
	req.event.addReply(reply, s.now().Sub(begin))
	req.upstream = reply
	return reply, err
}

// upstreamFor returns the connection to a server for a request. If a filter reads the
// answer, the texts of the server's notifications are withheld until done is called.
func (s *Session) upstreamFor(req *request, name string) (up Upstream, done func(), err error) {
	up, release, err := s.links.upstream(req.project, name)
	if err != nil {
		return nil, nil, err
	}
	c, _ := up.(cleaner)
	req.cleanWith(c)
	if !req.filtered {
		return up, release, nil
	}
	end := s.withheld.begin(name)
	return up, func() { end(); release() }, nil
}

// passOn sends an unknown request to the project's only server.
func (s *Session) passOn(ctx context.Context, req *request) (flow.Reply, error) {
	server, ok := req.project.only()
	if !ok {
		return flow.Reply{}, noMethod(req.Method)
	}
	return s.askServer(ctx, req, server.Name, req.Params)
}
