package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// buildPrompts names the prompts of all servers and writes the list.
func (s *Session) buildPrompts(p *Project, all []served) (*nameTable, assembled) {
	names := newNameTable(p.naming(nil), s.prompts.Load())
	list := assemble(prompts, all, func(server Server, it item) []byte {
		return listed(it, names.add(target{server.Name, it.name}), false)
	})
	s.prompts.Store(names)
	return names, list
}

// GetPrompt answers prompts/get. Its messages go through the pipeline.
func (s *Session) GetPrompt(ctx context.Context, req *request) (flow.Reply, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return flow.Reply{}, err
	}
	to, err := s.routePrompt(ctx, req, params)
	if err != nil {
		return flow.Reply{}, err
	}
	req.event.Label = to.label()
	params.Set("name", jsonedit.Quote(to.name))
	src := source{kind: abi.Prompt, name: to.label()}
	req.filtered = req.project.model(src.kind, src.name).Filters
	reply, err := s.askServer(ctx, req, to.server, params.Raw())
	if err != nil {
		return flow.Reply{}, s.filterError(ctx, req, src, err)
	}
	return s.showOther(ctx, req, src, reply, promptLayout)
}

// routePrompt finds the prompt that params.name means.
func (s *Session) routePrompt(ctx context.Context, req *request, params jsonrpc.Object) (target, error) {
	wire, ok := params.Text("name")
	if !ok {
		return target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: params.name %s", req.Method, notText(params, "name"))
	}
	names := s.prompts.Load()
	if names != nil && names.bare == req.project.naming(nil).bare {
		if to, ok := names.find(wire); ok {
			return to, nil
		}
	}
	names, _ = s.buildPrompts(req.project, s.gather(ctx, req.project, prompts, s.forClient))
	if to, ok := names.find(wire); ok {
		return to, nil
	}
	return target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown prompt: %q", wire)
}
