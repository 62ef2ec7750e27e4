package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// source says what a result is, for the pipeline.
type source struct {
	kind abi.ContentType
	name string // abi.Content.Source
	hint string
	// onlyFilters: what a failing tool says is for the model to read as it is, but
	// not what a filter would take away.
	onlyFilters bool
}

// shownResult is a result on its way to the client.
type shownResult struct {
	reply   abi.Reply
	refs    []string
	reports []abi.RunReport
	blocked string // not empty: the text of the error to answer
	before  int    // estimated tokens of what the parts held
	after   int    // and of what the client reads instead
	changed bool
	final   bool // the same result will be shown the same until the configuration changes
}

// show runs the pipeline over the parts of a result and puts what came out in
// their place. If nothing changed the result goes on as it came, but for keys
// of _meta that are the host's.
func show(ctx context.Context, t Transformer, scope abi.Scope, src source, l *layout) shownResult {
	var res shownResult
	shown := make([]abi.Shown, len(l.parts))
	changed := 0
	res.final = true
	for i := range l.parts {
		text, ok := l.bytes(i)
		if !ok {
			continue // no text; goes on as it came
		}
		sh, err := t.Transform(ctx, scope, l.piece(src, i, text))
		if err != nil {
			sh = abi.Shown{Blocked: err.Error(), Run: sh.Run}
		}
		res.note(sh, text)
		if sh.Blocked != "" {
			res.blocked = sh.Blocked
			return res
		}
		if sh.Changed {
			changed++
		}
		res.final = res.final && sh.Final
		shown[i] = sh
	}
	res.changed = changed > 0
	res.reply.Result = l.rebuild(shown, changed)
	return res
}

// showTool is show for the answer of a tool. An error of the tool is for the
// model to read as it is; keep asks for the Originals where no pipeline runs.
func (s *Session) showTool(ctx context.Context, req *request, t target, c call, reply abi.Reply, keep bool) shownResult {
	model := req.project.model(abi.ToolResult, t.label())
	runs := model.Runs
	if reply.Error != nil || !runs && !keep && !mayForge(reply.Result) {
		return shownResult{reply: reply}
	}
	src := source{kind: abi.ToolResult, name: t.label(), hint: c.hint()}
	var k memoKey
	if runs {
		k = s.e.memo.key(s.scope, src, reply.Result)
		if res, ok := s.e.memo.find(s.scope, k); ok {
			if res.reply.Result == nil {
				res.reply = reply
			}
			return res
		}
	}
	l := toolLayout(reply.Result)
	switch {
	case l.isError && !model.Filters || !runs && !keep:
		return shownResult{reply: abi.Reply{Result: l.rebuild(nil, 0)}}
	case !runs:
		return s.keep(ctx, src, l)
	}
	src.onlyFilters = l.isError
	res := show(ctx, s.e.Transformer, s.scope, src, l)
	if res.blocked != "" {
		res.reply = textResult(res.blocked, true)
		return res
	}
	s.e.memo.keep(k, res)
	return res
}

// keep stores the parts of a result over which nothing runs.
func (s *Session) keep(ctx context.Context, src source, l *layout) shownResult {
	res := shownResult{reply: abi.Reply{Result: l.rebuild(nil, 0)}}
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
func (s *Session) showOther(ctx context.Context, req *request, src source, reply abi.Reply, read func([]byte) *layout) (abi.Reply, error) {
	runs := req.project.model(src.kind, src.name).Runs
	if !runs && !mayForge(reply.Result) {
		return reply, nil
	}
	l := read(reply.Result)
	if !runs {
		return abi.Reply{Result: l.rebuild(nil, 0)}, nil
	}
	res := show(ctx, s.e.Transformer, s.scope, src, l)
	req.event.shown(res)
	if res.blocked != "" {
		return abi.Reply{}, jsonrpc.Errorf(codeServer, "%s: %s", src.name, res.blocked)
	}
	return res.reply, nil
}

// note adds what one pass through the pipeline told.
func (r *shownResult) note(sh abi.Shown, text []byte) {
	r.reports = append(r.reports, sh.Run)
	if sh.Ref != "" {
		r.refs = append(r.refs, sh.Ref)
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
func (l *layout) piece(src source, i int, text []byte) abi.Content {
	p := l.parts[i]
	c := abi.Content{
		Type:   src.kind,
		Source: src.name,
		MIME:   textOf(l.raw, p.mime),
		Hint:   src.hint,
		Part:   abi.Part{Kind: p.kind, Index: i, Count: len(l.parts)},
		Bytes:  text,

		OnlyFilters: src.onlyFilters,
	}
	if src.kind == abi.Resource && p.uri.End > 0 {
		c.Source = textOf(l.raw, p.uri)
		c.Hint = c.Source
	}
	return c
}
