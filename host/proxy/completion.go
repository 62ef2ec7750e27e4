package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Complete answers completion/complete: the server of the prompt or of the
// resource template that is referred to knows the values.
func (s *Session) Complete(ctx context.Context, req *request) (flow.Reply, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return flow.Reply{}, err
	}
	raw, _ := params.Get("ref")
	ref, err := jsonrpc.DecodeObject(raw)
	if err != nil {
		return flow.Reply{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "completion/complete: ref: %v", err)
	}
	server, err := s.completer(ctx, req, &ref)
	if err != nil {
		return flow.Reply{}, err
	}
	params.Set("ref", ref.Raw())
	return s.askServer(ctx, req, server, params.Raw())
}

// completer finds the server that a reference means, and gives a prompt the name
// that it has there.
func (s *Session) completer(ctx context.Context, req *request, ref *jsonrpc.Object) (server string, err error) {
	switch kind, _ := ref.Text("type"); kind {
	case "ref/prompt":
		to, err := s.routePrompt(ctx, req, *ref)
		if err != nil {
			return "", err
		}
		ref.Set("name", jsonedit.Quote(to.Name))
		req.event.Label = to.Label()
		return to.Server, nil
	case "ref/resource":
		uri, _ := ref.Text("uri")
		req.event.Label = uri
		if server := s.owner(ctx, req, uri); server != "" {
			return server, nil
		}
		return "", jsonrpc.Errorf(codeNoResource, "resource not found: %q", uri)
	default:
		if only, ok := req.project.only(); ok {
			return only.Name, nil
		}
		return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "completion/complete: unknown ref type %q", kind)
	}
}
