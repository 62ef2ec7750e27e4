package proxy

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// resourceRequest is a request about the resource with a URI.
type resourceRequest struct {
	*Session
	req    *request
	uri    string
	params jsonrpc.Object
}

func newResourceRequest(s *Session, req *request) (resourceRequest, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return resourceRequest{}, err
	}
	uri, ok := params.Text("uri")
	if !ok {
		return resourceRequest{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: params.uri %s", req.Method, noText(params, "uri"))
	}
	req.event.Label = uri
	return resourceRequest{s, req, uri, params}, nil
}

// ReadResource answers resources/read. Its texts go through the pipeline.
func (s *Session) ReadResource(ctx context.Context, req *request) (flow.Reply, error) {
	r, err := newResourceRequest(s, req)
	if err != nil {
		return flow.Reply{}, err
	}
	if s.index.isLibrary(r.uri) {
		return r.readLibrary(ctx)
	}
	src := result.Source{Type: abi.Resource, Name: r.uri, Hint: r.uri}
	req.filtered = req.project.model(src.Type, src.Name).Filters
	reply, err := r.readFromServer(ctx)
	if err != nil {
		return flow.Reply{}, s.display.filterError(ctx, req, src, err)
	}
	return s.display.other(ctx, req, src, reply, result.Resource)
}

// readLibrary reads a prompt of the project.
func (r resourceRequest) readLibrary(ctx context.Context) (flow.Reply, error) {
	name, text, err := r.Library.Read(ctx, r.scope, r.uri)
	switch {
	case errors.Is(err, abi.ErrNotFound):
		return flow.Reply{}, noResource(r.uri)
	case err != nil:
		return flow.Reply{}, err
	}
	block := jsonedit.Object(jsonedit.String("uri", r.uri), jsonedit.String("mimeType", promptMIME), jsonedit.String("text", string(text)))
	reply := flow.Reply{Result: jsonedit.Object(jsonedit.Raw("contents", jsonedit.Array(block)))}
	return r.display.other(ctx, r.req, result.Source{Type: abi.Prompt, Name: name, Hint: r.uri}, reply, result.Resource)
}

// readFromServer asks the server of the URI. If no server lists the URI, all servers are
// asked, and the first one that has it answers.
func (r resourceRequest) readFromServer(ctx context.Context) (flow.Reply, error) {
	if server := r.findServer(ctx); server != "" {
		return r.askServer(ctx, r.req, server, r.params.Raw())
	}
	last, lastErr := flow.Reply{}, noResource(r.uri)
	for _, server := range r.req.project.Servers {
		reply, err := r.askServer(ctx, r.req, server.Name, r.params.Raw())
		if err == nil && reply.Error == nil {
			return reply, nil
		}
		if err == nil && jsonrpc.ReadError(reply.Error).Code != jsonrpc.CodeMethodNotFound {
			last, lastErr = reply, nil
		}
	}
	return last, lastErr
}

// Subscribe answers resources/subscribe. The session remembers the subscription, to
// restore it when the server is connected to again.
func (s *Session) Subscribe(ctx context.Context, req *request) (flow.Reply, error) {
	r, err := newResourceRequest(s, req)
	if err != nil {
		return flow.Reply{}, err
	}
	reply, err := r.askOwner(ctx)
	if err == nil && reply.Error == nil {
		s.interest.watch(r.uri)
	}
	return reply, err
}

// Unsubscribe answers resources/unsubscribe.
func (s *Session) Unsubscribe(ctx context.Context, req *request) (flow.Reply, error) {
	r, err := newResourceRequest(s, req)
	if err != nil {
		return flow.Reply{}, err
	}
	reply, err := r.askOwner(ctx)
	s.interest.unwatch(r.uri)
	return reply, err
}

// askOwner sends a request about a URI to the server that has it.
func (r resourceRequest) askOwner(ctx context.Context) (flow.Reply, error) {
	if r.index.isLibrary(r.uri) {
		return flow.Reply{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: %q is a prompt of the project, whose changes are not told", r.req.Method, r.uri)
	}
	server := r.findServer(ctx)
	if server == "" {
		return flow.Reply{}, noResource(r.uri)
	}
	return r.askServer(ctx, r.req, server, r.params.Raw())
}

func (r resourceRequest) findServer(ctx context.Context) string {
	return r.index.findServer(ctx, &r.req.event, r.req.project, r.uri)
}
