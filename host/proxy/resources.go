package proxy

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// ReadResource answers resources/read. Its texts go through the pipeline.
func (s *Session) ReadResource(ctx context.Context, req *request) (flow.Reply, error) {
	params, uri, err := uriParams(req)
	if err != nil {
		return flow.Reply{}, err
	}
	if reply, ok, err := s.readLibrary(ctx, req, uri); ok {
		return reply, err
	}
	src := source{kind: abi.Resource, name: uri, hint: uri}
	req.filtered = req.project.model(src.kind, src.name).Filters
	reply, err := s.readAt(ctx, req, uri, params.Raw())
	if err != nil {
		return flow.Reply{}, s.filterError(ctx, req, src, err)
	}
	return s.showOther(ctx, req, src, reply, resourceLayout)
}

// readAt asks the server that the URI belongs to. One that nobody lists may be
// known to a server all the same: then the first that has it answers.
func (s *Session) readAt(ctx context.Context, req *request, uri string, params json.RawMessage) (flow.Reply, error) {
	if server := s.owner(ctx, req, uri); server != "" {
		return s.askServer(ctx, req, server, params)
	}
	last, lastErr := flow.Reply{}, noResource(uri)
	for _, server := range req.project.Servers {
		reply, err := s.askServer(ctx, req, server.Name, params)
		if err == nil && reply.Error == nil {
			return reply, nil
		}
		if err == nil && jsonrpc.ReadError(reply.Error).Code != jsonrpc.CodeMethodNotFound {
			last, lastErr = reply, nil
		}
	}
	return last, lastErr
}

func noResource(uri string) error {
	return jsonrpc.Errorf(codeNoResource, "resource not found: %q", uri)
}

// owner returns the server of a URI, the only one if there is only one, or "".
func (s *Session) owner(ctx context.Context, req *request, uri string) string {
	p := req.project
	if server, ok := p.only(); ok {
		return server.Name
	}
	for _, k := range []listKind{resources, templates} {
		if !s.book.has(k) {
			s.build(ctx, req, k, p, s.gather(ctx, p, k, s.forClient), reasonLookup)
		}
	}
	server := s.book.find(uri)
	if !slices.ContainsFunc(p.Servers, func(v Server) bool { return v.Name == server }) {
		return ""
	}
	return server
}

// Subscribe answers resources/subscribe. The session remembers it for a server
// that is connected to anew.
func (s *Session) Subscribe(ctx context.Context, req *request) (flow.Reply, error) {
	uri, reply, err := s.askOwner(ctx, req)
	if err != nil || reply.Error != nil {
		return reply, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.watched) < maxWatched {
		s.watched[uri] = struct{}{}
	}
	return reply, nil
}

// maxWatched bounds the subscriptions that a session remembers.
const maxWatched = 10_000

// Unsubscribe answers resources/unsubscribe.
func (s *Session) Unsubscribe(ctx context.Context, req *request) (flow.Reply, error) {
	uri, reply, err := s.askOwner(ctx, req)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, uri)
	return reply, err
}

// askOwner sends a request about a URI to the server that it belongs to.
func (s *Session) askOwner(ctx context.Context, req *request) (uri string, reply flow.Reply, err error) {
	params, uri, err := uriParams(req)
	if err != nil {
		return "", flow.Reply{}, err
	}
	if s.ours(uri) {
		return uri, flow.Reply{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: %q is a prompt of the project, whose changes are not told", req.Method, uri)
	}
	server := s.owner(ctx, req, uri)
	if server == "" {
		return uri, flow.Reply{}, noResource(uri)
	}
	reply, err = s.askServer(ctx, req, server, params.Raw())
	return uri, reply, err
}

func uriParams(req *request) (jsonrpc.Object, string, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return params, "", err
	}
	uri, ok := params.Text("uri")
	if !ok {
		return params, "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: params.uri %s", req.Method, notText(params, "uri"))
	}
	req.event.Label = uri
	return params, uri, nil
}

// subscriptions returns the URIs that the session watches.
func (s *Session) subscriptions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.watched))
}
