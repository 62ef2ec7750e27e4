package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/result"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// display shows the results of one session's requests, as their ProxyModels specify.
type display struct {
	viewer *view.Viewer
	scope  flow.Scope
}

// toolSource returns the source of a tool's result.
func toolSource(t names.Target) result.Source {
	return result.Source{Type: abi.ToolResult, Name: t.Label()}
}

// tool shows a tool's result in a session without result hooks.
func (d *display) tool(ctx context.Context, req *request, to names.Target, c call, reply flow.Reply) view.Result {
	src := toolSource(to)
	model := req.project.model(src.Type, src.Name)
	limit := req.project.MaxAnswerTokens
	isLong := mayExceed(reply.Result, limit)
	if model.Runs || c.asked || isLong {
		src.Hint = hintOf(c.args)
	}
	if model.Arguments {
		src.Arguments = c.forStages()
	}
	switch {
	case reply.Error != nil && model.Filters:
		return d.viewer.Error(ctx, d.scope, src, reply.Error).OrToolError()
	case reply.Error != nil:
		return view.Result{Reply: reply}
	case model.Runs:
		return d.viewer.ToolResult(ctx, d.scope, src, reply, model.Filters, limit)
	case c.asked:
		return d.viewer.Store(ctx, d.scope, src, result.Tool(reply.Result, false))
	}
	if isLong {
		l := result.Tool(reply.Result, false)
		l.MaxTokens = limit
		return d.viewer.Bound(ctx, d.scope, src, l)
	}
	tokens := result.SampledTokens(reply.Result)
	return view.Result{Reply: withoutForged(reply, result.Tool), Before: tokens, After: tokens}
}

// mayExceed reports whether the texts of a result may have more estimated tokens than
// limit: a byte counts less than two.
func mayExceed(raw []byte, limit int) bool { return limit > 0 && 2*len(raw) > limit }

// withoutForged returns a result over which no pipeline runs, without keys of _meta that
// only the host may set.
func withoutForged(reply flow.Reply, read result.Reader) flow.Reply {
	if !result.MayForgeReply(reply) {
		return reply
	}
	return flow.Reply{Result: read(reply.Result, false).Rebuild(nil)}
}

// failure shows mcpctl's own text about a server that cannot answer. Filters read it,
// because it may quote the server; stages do not.
func (d *display) failure(ctx context.Context, req *request, src result.Source, reply flow.Reply) view.Result {
	l := result.Tool(reply.Result, req.project.model(src.Type, src.Name).Filters).WithoutStages()
	return d.viewer.Show(ctx, d.scope, src, l).OrToolError()
}

// other shows the result of a prompt or a resource, which have no error results.
func (d *display) other(ctx context.Context, req *request, src result.Source, reply flow.Reply, read result.Reader) (flow.Reply, error) {
	model := req.project.model(src.Type, src.Name)
	var res view.Result
	switch {
	case reply.Error != nil && model.Filters:
		res = d.viewer.Error(ctx, d.scope, src, reply.Error)
	case reply.Error != nil:
		return reply, nil
	case !model.Runs && !mayExceed(reply.Result, req.project.MaxAnswerTokens):
		return withoutForged(reply, read), nil
	default:
		l := read(reply.Result, model.Filters)
		l.MaxTokens = req.project.MaxAnswerTokens
		if model.Runs {
			res = d.viewer.Show(ctx, d.scope, src, l)
		} else {
			res = d.viewer.Bound(ctx, d.scope, src, l)
		}
	}
	req.event.addView(res)
	if res.Blocked != "" {
		return flow.Reply{}, withheldError(src, res)
	}
	return res.Reply, nil
}

// withheldError is the error in place of a result that a filter withholds.
func withheldError(src result.Source, res view.Result) *jsonrpc.Error {
	return jsonrpc.Errorf(codeServer, "%s: %s", src.Name, res.Blocked)
}

// filterError returns the error for a request that a server did not answer, after the
// filters, because the error may quote the server.
func (d *display) filterError(ctx context.Context, req *request, src result.Source, err error) error {
	if ctx.Err() != nil || !req.project.model(src.Type, src.Name).Filters {
		return err
	}
	res := d.viewer.Error(ctx, d.scope, src, errorObject(err).Raw())
	req.event.addView(res)
	if res.Blocked != "" {
		return withheldError(src, res)
	}
	return jsonrpc.ReadError(res.Reply.Error)
}

// filterTexts runs the filters over texts that controllers wrote.
func (d *display) filterTexts(ctx context.Context, req *request, src result.Source, texts [][]byte) [][]byte {
	if !req.project.model(src.Type, src.Name).Filters {
		return texts
	}
	filtered, reports := d.viewer.FilterTexts(ctx, d.scope, src, texts)
	req.event.Run = append(req.event.Run, reports...)
	return filtered
}
