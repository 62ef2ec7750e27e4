package proxy

import (
	"context"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// SetLevel answers logging/setLevel. All servers that log get the level, now or when they
// start.
func (s *Session) SetLevel(ctx context.Context, req *request) (flow.Reply, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return flow.Reply{}, err
	}
	if server, ok := req.project.only(); ok && s.index.hasCapability(server, "logging") {
		reply, err := s.askServer(ctx, req, server.Name, params.Raw())
		if err == nil && reply.Error == nil {
			s.interest.setLevel(params.Raw())
		}
		return reply, err
	}
	s.interest.setLevel(params.Raw())
	var wg sync.WaitGroup
	for _, server := range req.project.Servers {
		if s.index.hasCapability(server, "logging") {
			wg.Go(func() {
				if up, done, err := s.links.upstream(req.project, server.Name); err == nil {
					defer done()
					_, _ = up.Call(ctx, req.Method, params.Raw(), s.peerFor(req, server.Name))
				}
			})
		}
	}
	wg.Wait()
	return flow.Reply{Result: []byte(`{}`)}, nil
}
