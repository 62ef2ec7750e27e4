package proxy

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// source says what a result is, for the pipeline.
type source struct {
	kind abi.ContentType
	name string // flow.Content.Source
	hint string
}

// source is what a tool's result is for the pipeline.
func toolSource(t names.Target) source { return source{kind: abi.ToolResult, name: t.Label()} }

// shownResult is a result on its way to the client.
type shownResult struct {
	reply   flow.Reply
	refs    []string
	reports []flow.RunReport
	blocked string // not empty: the text of the error to answer
	before  int    // estimated tokens of what the parts held
	after   int    // and of what the client reads instead
	changed bool
	final   bool // the same result will be shown the same until the configuration changes
}

// show runs the pipeline over the parts of a result and puts what came out in
// their place. If nothing changed the result goes on as it came, but for keys
// of _meta that are the host's.
func show(ctx context.Context, t Transformer, scope flow.Scope, src source, l *layout) shownResult {
	res, _ := showParts(ctx, t, scope, src, l)
	return res
}

// showParts is show, and tells what became of each part.
func showParts(ctx context.Context, t Transformer, scope flow.Scope, src source, l *layout) (res shownResult, shown []flow.Shown) {
	shown = make([]flow.Shown, len(l.parts))
	res.final = true
	var waited time.Duration // for an LLM, by all parts together
	for i, p := range l.parts {
		if p.repeats && shown[0].Changed {
			continue // rebuild drops it
		}
		text, ok := l.bytes(i)
		if !ok && l.filtered {
			res.blocked = "a text is no valid UTF-8, so no filter can read it: result withheld"
			return res, shown
		}
		if !ok {
			continue // no text; goes on as it came
		}
		c := l.piece(src, i, text)
		c.LLMWaited = waited
		sh, err := t.Transform(ctx, scope, c)
		waited = max(waited, sh.LLMWaited)
		if err != nil {
			sh = flow.Shown{Blocked: err.Error(), Run: sh.Run}
		}
		res.note(p, sh, text)
		if sh.Blocked != "" {
			res.blocked, res.after = sh.Blocked, abi.EstimateTokens([]byte(sh.Blocked))
			return res, shown
		}
		res.final = res.final && sh.Final
		res.changed = res.changed || sh.Changed
		shown[i] = sh
	}
	res.reply.Result = l.rebuild(shown)
	return res, shown
}

// showTool is show for the answer of a tool; keep asks for the Originals where
// no pipeline runs.
func (s *Session) showTool(ctx context.Context, req *request, t names.Target, c call, reply flow.Reply, keep bool) shownResult {
	src := toolSource(t)
	model := req.project.model(src.kind, src.name)
	if model.Runs || keep {
		src.hint = c.hint()
	}
	switch {
	case reply.Error != nil && model.Filters:
		return refused(s.showError(ctx, src, reply.Error))
	case reply.Error != nil:
		return shownResult{reply: reply}
	case model.Runs:
		return s.showToolResult(ctx, src, reply, model.Filters)
	case keep:
		return s.keep(ctx, src, toolLayout(reply.Result, false))
	}
	res := shownResult{reply: reply, before: sampledTokens(reply.Result)} // counted, though no stage runs
	res.after = res.before
	if mayForgeReply(reply) {
		res.reply = flow.Reply{Result: toolLayout(reply.Result, false).rebuild(nil)}
	}
	return res
}

// showFailure shows the text of ours about a server that cannot answer: filters read
// it, for it may quote the server, and no stage does.
func (s *Session) showFailure(ctx context.Context, req *request, src source, reply flow.Reply) shownResult {
	l := toolLayout(reply.Result, req.project.model(src.kind, src.name).Filters)
	l.keepFromStages()
	return refused(show(ctx, s.e.Transformer, s.scope, src, l))
}

// showToolResult is show for a tool's result. One that came before, byte for
// byte, is shown as it was then.
func (s *Session) showToolResult(ctx context.Context, src source, reply flow.Reply, filtered bool) shownResult {
	k := s.e.memo.key(s.scope, src, reply.Result)
	if res, ok := s.e.memo.find(s.scope, k); ok {
		if res.reply.Result == nil {
			res.reply = reply
		}
		return res
	}
	res := show(ctx, s.e.Transformer, s.scope, src, toolLayout(reply.Result, filtered))
	if res.blocked == "" {
		s.e.memo.keep(k, res)
	}
	return refused(res)
}

// refused makes what was withheld a result that says so: to a model the failure
// of a tool.
func refused(res shownResult) shownResult {
	if res.blocked != "" {
		res.reply = textResult(res.blocked, true)
	}
	return res
}

// keep stores the parts of a result over which nothing runs.
func (s *Session) keep(ctx context.Context, src source, l *layout) shownResult {
	res := shownResult{reply: flow.Reply{Result: l.rebuild(nil)}}
	for i := range l.parts {
		text, ok := l.bytes(i)
		if !ok {
			continue
		}
		if ref, err := s.e.Reader.Store(ctx, s.scope, l.piece(src, i, text)); err == nil {
			res.refs = append(res.refs, ref)
		}
	}
	return res
}

// showOther is show for prompts and resources, which have no error results.
func (s *Session) showOther(ctx context.Context, req *request, src source, reply flow.Reply, read reader) (flow.Reply, error) {
	model := req.project.model(src.kind, src.name)
	var res shownResult
	switch {
	case reply.Error != nil && model.Filters:
		res = s.showError(ctx, src, reply.Error)
	case reply.Error != nil, !model.Runs && !mayForgeReply(reply):
		return reply, nil
	case !model.Runs:
		return flow.Reply{Result: read(reply.Result, false).rebuild(nil)}, nil
	default:
		res = show(ctx, s.e.Transformer, s.scope, src, read(reply.Result, model.Filters))
	}
	req.event.shown(res)
	if res.blocked != "" {
		return flow.Reply{}, withheld(src, res)
	}
	return res.reply, nil
}

// note adds what one pass through the pipeline told.
func (r *shownResult) note(p part, sh flow.Shown, text []byte) {
	r.reports = append(r.reports, sh.Run)
	if sh.Ref != "" {
		r.refs = append(r.refs, sh.Ref)
	}
	if p.repeats {
		return // counted as structuredContent
	}
	n := sh.Tokens
	if n == 0 {
		n = abi.EstimateTokens(text)
	}
	r.before += n
	if sh.Changed {
		n = abi.EstimateTokens(sh.Text)
	}
	r.after += n
}

// piece makes the Content of part i.
func (l *layout) piece(src source, i int, text []byte) flow.Content {
	p := l.parts[i]
	c := flow.Content{
		Type:   src.kind,
		Source: src.name,
		MIME:   jsonedit.Text(l.raw, p.mime),
		Hint:   src.hint,
		Part:   abi.Part{Kind: p.kind(), Index: i, Count: len(l.parts)},
		Bytes:  text,

		OnlyFilters: p.onlyFilters,
		Filtered:    l.sifted,
	}
	if p.uri.End > 0 { // a hint only: what runs was decided by what was asked for
		c.Hint = jsonedit.Text(l.raw, p.uri)
	}
	return c
}
