package proxy

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// SetLevel answers logging/setLevel: every server that logs is told, and those
// that start later will be.
func (s *Session) SetLevel(ctx context.Context, req *request) (flow.Reply, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return flow.Reply{}, err
	}
	if server, ok := req.project.only(); ok && s.logs(server) {
		reply, err := s.askServer(ctx, req, server.Name, params.Raw())
		if err == nil && reply.Error == nil {
			s.setLevel(params)
		}
		return reply, err
	}
	s.setLevel(params)
	var wg sync.WaitGroup
	for _, server := range req.project.Servers {
		if s.logs(server) {
			wg.Go(func() { s.tellLevel(ctx, req, server, params) })
		}
	}
	wg.Wait()
	return flow.Reply{Result: []byte(`{}`)}, nil
}

// logs reports whether a server has declared logging.
func (s *Session) logs(server Server) bool {
	caps, _ := s.e.catalog.greeting(s.scope.Subject, server)
	return jsonedit.Has(caps, "logging")
}

func (s *Session) setLevel(params jsonrpc.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = params.Raw()
}

// severities are the levels of log messages, from the least to the worst.
var severities = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// hears reports whether the client has asked for a log message, which it gets
// without asking while it has named no level.
func (s *Session) hears(params json.RawMessage) bool {
	s.mu.Lock()
	declared, asked := s.logging, s.level
	s.mu.Unlock()
	of := severity(params)
	return declared && of >= 0 && (asked == nil || of >= severity(asked))
}

// hasAskedFor reports whether the client has set a level that a log message reaches.
func (s *Session) hasAskedFor(params json.RawMessage) bool {
	s.mu.Lock()
	asked := s.level
	s.mu.Unlock()
	return asked != nil && severity(params) >= severity(asked)
}

// severity is where the level of some params stands, or -1.
func severity(params json.RawMessage) int {
	return slices.Index(severities, jsonedit.MemberText(params, "level"))
}

// tellLevel passes the level on to one of several servers; what it answers is
// its own matter.
func (s *Session) tellLevel(ctx context.Context, req *request, server Server, params jsonrpc.Object) {
	up, done, err := s.upstream(req.project, server.Name)
	if err != nil {
		return
	}
	defer done()
	_, _ = up.Call(ctx, req.Method, params.Raw(), s.peer(req, server.Name))
}

// catchUp tells a server that has just started what the client asked for before:
// the level of its log messages and the resources it watches.
func (s *Session) catchUp(ctx context.Context, up Upstream, server Server) {
	s.mu.Lock()
	level := s.level
	s.mu.Unlock()
	if level != nil && s.logs(server) {
		_, _ = up.Call(ctx, "logging/setLevel", level, deafPeer{})
	}
	for _, uri := range s.subscriptions() {
		if s.book.find(uri) == server.Name || s.isOnly(server) {
			params := jsonedit.Object(jsonedit.String("uri", uri))
			_, _ = up.Call(ctx, "resources/subscribe", params, deafPeer{})
		}
	}
}

func (s *Session) isOnly(server Server) bool {
	only, ok := s.links.synced.Load().only()
	return ok && only.Name == server.Name
}
