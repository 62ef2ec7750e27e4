package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// buildPrompts table the prompts of all servers and writes the list.
func (s *Session) buildPrompts(p *Project, all []served) (*names.Table, assembled) {
	table := names.NewTable(p.naming(nil), s.prompts.Load())
	list := assemble(prompts, all, func(server Server, it item) []byte {
		return listed(it, table.Add(names.Target{Server: server.Name, Name: it.name}), false)
	})
	s.prompts.Store(table)
	return table, list
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
	req.event.Label = to.Label()
	params.Set("name", jsonedit.Quote(to.Name))
	src := source{kind: abi.Prompt, name: to.Label()}
	req.filtered = req.project.model(src.kind, src.name).Filters
	reply, err := s.askServer(ctx, req, to.Server, params.Raw())
	if err != nil {
		return flow.Reply{}, s.filterError(ctx, req, src, err)
	}
	return s.showOther(ctx, req, src, reply, promptLayout)
}

// routePrompt finds the prompt that params.name means.
func (s *Session) routePrompt(ctx context.Context, req *request, params jsonrpc.Object) (names.Target, error) {
	wire, ok := params.Text("name")
	if !ok {
		return names.Target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: params.name %s", req.Method, notText(params, "name"))
	}
	table := s.prompts.Load()
	if table != nil && table.Bare == req.project.naming(nil).Bare {
		if to, ok := table.Find(wire); ok {
			return to, nil
		}
	}
	table, _ = s.buildPrompts(req.project, s.gather(ctx, req.project, prompts, s.forClient))
	if to, ok := table.Find(wire); ok {
		return to, nil
	}
	return names.Target{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown prompt: %q", wire)
}
