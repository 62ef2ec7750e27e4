package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Complete answers completion/complete by asking the server of the prompt or of the
// resource template that the request refers to.
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
	server, err := resolveRef(ctx, &s.index, req, &ref)
	if err != nil {
		return flow.Reply{}, err
	}
	params.Set("ref", ref.Raw())
	return s.askServer(ctx, req, server, params.Raw())
}

// resolveRef returns the server that a reference belongs to, and replaces the wire name
// of a prompt by the server's name.
func resolveRef(ctx context.Context, x *index, req *request, ref *jsonrpc.Object) (server string, err error) {
	switch kind, _ := ref.Text("type"); kind {
	case "ref/prompt":
		to, err := x.findPrompt(ctx, &req.event, req.project, *ref)
		if err != nil {
			return "", err
		}
		ref.Set("name", jsonedit.Quote(to.Name))
		req.event.Label = to.Label()
		return to.Server, nil
	case "ref/resource":
		uri, _ := ref.Text("uri")
		req.event.Label = uri
		if server := x.findServer(ctx, &req.event, req.project, uri); server != "" {
			return server, nil
		}
		return "", noResource(uri)
	default:
		if only, ok := req.project.only(); ok {
			return only.Name, nil
		}
		return "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "completion/complete: unknown ref type %q", kind)
	}
}
