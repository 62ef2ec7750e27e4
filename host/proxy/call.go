package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/result"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// CallTool answers tools/call. Its steps are numbered as in ARCHITECTURE.md.
func (s *Session) CallTool(ctx context.Context, req *request) (flow.Reply, error) {
	// 1 decode
	c, err := decodeCall(req.Params)
	if err != nil {
		return flow.Reply{}, err
	}
	// 2 route
	req.event.Label = c.name
	if c.name == names.ReadSection {
		reply := s.sections.read(ctx, c.args)
		req.event.addSection(reply)
		return reply, nil
	}
	to, err := s.index.findTool(ctx, &req.event, req.project, c.name)
	if err != nil {
		return flow.Reply{}, err
	}
	req.event.Label = to.Label()
	// 3 call hooks, which may answer the call or send it to another tool
	if err := c.takeOwn(); err != nil {
		return flow.Reply{}, err
	}
	h := s.runCallHooks(ctx, req, to, &c)
	defer h.close()
	if reply, ok := h.answer(ctx); ok {
		return h.finish(ctx, reply), nil
	}
	to = h.target(to)
	// steps 4 to 9 are skipped for a section of a stored result
	var shown view.Result
	if !s.sections.has(to, c) {
		// 4 upstream
		a, err := s.forward(ctx, req, to, c)
		if err != nil {
			return flow.Reply{}, err
		}
		// 5 to 9 filters, original, result hooks, stages, sections
		shown = s.show(ctx, req, h, to, c, a)
		s.sections.record(to, c, shown.Refs)
		req.event.addView(shown)
		if a.isFailure {
			req.event.Error = result.FirstText(shown.Reply.Result)
		}
	}
	// 10 answer, with the blocks of controllers around it
	reply, isSection := s.sections.find(ctx, to, c, shown.Reply)
	if isSection {
		req.event.addSection(reply)
	}
	return h.finish(ctx, reply), nil
}

// answer is the answer to a call before it is shown.
type answer struct {
	reply     flow.Reply
	isFailure bool   // mcpctl's own text, because the server cannot answer
	broken    string // not empty: the ProxyModel is invalid, so the server was not asked
}

// forward sends the call to its server. If the server cannot answer, or the definition of the
// tool is not approved, the answer is the error result of a tool.
//
// Errors: only if the request has been cancelled.
func (s *Session) forward(ctx context.Context, req *request, to names.Target, c call) (answer, error) {
	model := req.project.model(abi.ToolResult, to.Label())
	if model.Broken != "" {
		return answer{broken: model.Broken}, nil
	}
	req.filtered = model.Filters
	if s.Pins != nil && s.Pins.Holds(to.Server) {
		err := s.index.compareTools(ctx, req.project, to.Server)
		if err == nil {
			err = s.Pins.Check(to.Server, to.Name)
		}
		if err != nil && ctx.Err() != nil {
			return answer{}, err
		}
		if err != nil {
			return answer{reply: result.Text(err.Error(), true), isFailure: true}, nil
		}
	}
	tools := s.index.lastTools()
	reply, err := s.ask(ctx, req, to.Server, c.encode(to), tools != nil && tools.IsRepeatable(to))
	switch {
	case err != nil && ctx.Err() != nil:
		return answer{}, err
	case err != nil:
		return answer{reply: result.Text(err.Error(), true), isFailure: true}, nil
	}
	return answer{reply: s.recordTask(to, c, reply, req.filtered)}, nil
}

// show shows an answer: it runs the filters, stores the original, runs the result hooks
// and the stages, and stores the sections.
func (s *Session) show(ctx context.Context, req *request, h *hooks, to names.Target, c call, a answer) view.Result {
	switch {
	case a.broken != "":
		return view.Withheld(a.broken)
	case h.wantsResult():
		src := toolSource(to)
		src.Hint = hintOf(c.args)
		if req.project.model(src.Type, src.Name).Arguments {
			src.Arguments = c.forStages()
		}
		return h.show(ctx, src, a.reply, !a.isFailure)
	case a.isFailure:
		return s.display.failure(ctx, req, toolSource(to), a.reply)
	}
	return s.display.tool(ctx, req, to, c, a.reply)
}
