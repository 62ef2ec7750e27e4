package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// GetPrompt answers prompts/get. Its messages go through the pipeline.
func (s *Session) GetPrompt(ctx context.Context, req *request) (flow.Reply, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return flow.Reply{}, err
	}
	to, err := s.index.findPrompt(ctx, &req.event, req.project, params)
	if err != nil {
		return flow.Reply{}, err
	}
	req.event.Label = to.Label()
	params.Set("name", jsonedit.Quote(to.Name))
	src := result.Source{Type: abi.Prompt, Name: to.Label()}
	model := req.project.model(src.Type, src.Name)
	req.filtered = model.Filters
	if args, ok := params.Get("arguments"); ok && model.Arguments {
		src.Arguments = boundedArguments(args)
	}
	reply, err := s.askServer(ctx, req, to.Server, params.Raw())
	if err != nil {
		return flow.Reply{}, s.display.filterError(ctx, req, src, err)
	}
	return s.display.other(ctx, req, src, reply, result.Prompt)
}
