package proxy

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/result"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// hooks runs the controllers' hooks over one tools/call. A nil *hooks belongs to a
// session without controllers and changes nothing.
type hooks struct {
	s        *Session
	steering Steering // of the session or of the conversation
	req      *request
	to       names.Target // the destination of the call
	asked    flow.SteeredCall
	verdict  flow.CallVerdict
	refused  string // why the call cannot go to its destination

	before, after [][]byte  // blocks for the answer
	listWait      *listWait // delays the answer; may be nil
}

// runCallHooks runs the call hooks. If one of them rewrites the call, c and the target
// of the hooks change.
func (s *Session) runCallHooks(ctx context.Context, req *request, to names.Target, c *call) *hooks {
	if !s.isSteered() {
		return nil
	}
	h := &hooks{s: s, steering: steeringOf(s, req), req: req, to: to, asked: flow.SteeredCall{
		ID:        callID(s.calls.Add(1)),
		Tool:      s.index.lastTools().Listed(to, c.name),
		Client:    req.Params,
		Arguments: c.args.Raw(),
		Listed:    s.checker.isGiven(catalog.Tools),
	}}
	if h.steering.Wants(abi.OnToolCall) {
		h.verdict = h.steering.Call(ctx, h.asked)
		h.apply(h.verdict.Effects, true)
	}
	if h.verdict.Answer == nil {
		h.redirect(c)
	}
	return h
}

// steeringOf returns the controllers of a request.
func steeringOf(s *Session, req *request) Steering {
	if req.steering != nil {
		return req.steering
	}
	return s.steering
}

// taskHooks returns the result hooks for a call that became a task. Its arguments are no
// longer known.
func (s *Session) taskHooks(req *request, to names.Target) *hooks {
	if !s.isSteered() {
		return nil
	}
	tool := flow.ListedTool{Label: to.Label(), Kind: abi.ToolUpstream}
	if tools := s.index.lastTools(); tools != nil {
		tool = tools.Listed(to, tools.Wire(to))
	}
	return &hooks{s: s, steering: steeringOf(s, req), req: req, to: to, asked: flow.SteeredCall{
		ID: callID(s.calls.Add(1)), Tool: tool, Listed: s.checker.isGiven(catalog.Tools), Arguments: []byte(`{}`),
		Client: jsonedit.Object(jsonedit.String("name", tool.Wire), jsonedit.Raw("arguments", []byte(`{}`))),
	}}
}

// callID returns the id of the nth call that controllers see.
func callID(n int64) string { return fmt.Sprintf("c%d", n) }

// redirect sends the call to the tool to which a controller has rewritten it.
func (h *hooks) redirect(c *call) {
	if h.verdict.Tool != "" {
		args, err := jsonrpc.DecodeObject(h.verdict.Arguments)
		to, ok := h.s.index.lastTools().FindUpstream(h.verdict.Tool)
		if err != nil || !ok {
			h.refused = fmt.Sprintf("%s: sent on to %s, which no server has now", c.name, names.Quote(h.verdict.Tool))
			return
		}
		if why := h.req.project.refusal(to); why != "" {
			h.refused = fmt.Sprintf("%s: sent on to %s: %s", c.name, to.Label(), why)
			return
		}
		h.req.event.Called, h.req.event.Label = h.to.Label(), to.Label()
		h.to = to
		if err := c.rewrite(args); err != nil {
			h.refused = fmt.Sprintf("%s: sent on to %s: %v", c.name, to.Label(), err)
		}
		h.req.event.RoutedArgs = c.args.Raw()
	}
	if h.to.IsVirtual() {
		h.refused = fmt.Sprintf("%s: its controller %q gave no answer", c.name, h.asked.Tool.Owner)
	}
}

// target returns the destination of a call to a tool.
func (h *hooks) target(to names.Target) names.Target {
	if h == nil {
		return to
	}
	return h.to
}

// answer returns the answer of a controller. ok is false if a server has to answer.
func (h *hooks) answer(ctx context.Context) (reply flow.Reply, ok bool) {
	switch {
	case h == nil:
		return flow.Reply{}, false
	case h.refused != "":
		return result.Text(h.refused, true), true
	case h.verdict.Answer == nil:
		return flow.Reply{}, false
	}
	a := h.verdict.Answer
	res := h.show(ctx, toolSource(h.to), flow.Reply{Result: a.Result}, a.Stages)
	if !a.Stages {
		res.Before, res.After = 0, result.TextTokens(res.Reply.Result)
	}
	h.req.event.addView(res)
	return res.Reply, true
}

// finish delays an answer if necessary and adds the blocks to it.
func (h *hooks) finish(ctx context.Context, reply flow.Reply) flow.Reply {
	if h == nil {
		return reply
	}
	if h.listWait.wait(ctx) {
		h.req.event.ListIgnored = true
		if h.verdict.Answer != nil && h.readsBlocks(reply) { // a client that calls a server's tool knows its name
			h.after = append(h.after, h.s.index.describeUnread(ctx, h.req)...)
		}
	}
	if h.s.late.isPending() && h.readsBlocks(reply) {
		h.after = append(h.after, h.s.late.take(&h.s.index, h.s.profile.InstructionsChars, h.verdict.Answer != nil)...)
	}
	if h.req.handle != "" {
		h.after = append(h.after, []byte(`Add "`+handleArg+`":"`+h.req.handle+`" to the arguments of your later calls of these tools.`))
	}
	if len(h.before)+len(h.after) > 0 {
		reply = h.addBlocks(ctx, reply)
	}
	return reply
}

// close removes the wait of the call. It is called for every outcome of the call.
func (h *hooks) close() {
	if h != nil {
		h.s.waits.remove(h.listWait)
	}
}

// apply applies the effects of hooks. Blocks of the call hooks are outside those of the
// result hooks.
func (h *hooks) apply(fx flow.Effects, isCall bool) {
	h.req.event.Hooks = append(h.req.event.Hooks, fx.Reports...)
	h.before = append(h.before, fx.Before...)
	if isCall {
		h.after = fx.After
	} else {
		h.after = slices.Concat(fx.After, h.after)
	}
	if len(fx.Notes) == 0 {
		return
	}
	wait := h.s.waits.add()
	if !h.s.notify.send(fx.Notes) || !h.s.watch.isExpected() {
		h.s.waits.remove(wait)
		return
	}
	h.s.waits.remove(h.listWait)
	h.listWait = wait
}

// wantsResult reports whether a controller has a result hook.
func (h *hooks) wantsResult() bool { return h != nil && h.steering.Wants(abi.OnToolResult) }

// show shows a tool's result with the result hooks between the filters and the stages.
// The result is not remembered, because hooks may treat it differently the next time.
func (h *hooks) show(ctx context.Context, src result.Source, reply flow.Reply, stages bool) view.Result {
	model := h.req.project.model(src.Type, src.Name)
	first, contents := h.filter(ctx, src, reply, model.Filters, stages) //                     5, 6
	if first.Blocked != "" {
		return first.OrToolError()
	}
	if h.wantsResult() { //                                                                    7
		v := h.steering.Result(ctx, h.asked, h.verdict, h.resultFor(first.Reply, contents))
		h.apply(v.Effects, false)
		if v.Answer != nil {
			return first.Then(h.showReplacement(ctx, src, v.Answer, model))
		}
	}
	if !stages || first.Reply.Error != nil {
		return first
	}
	l := result.Tool(first.Reply.Result, false) //                                             8, 9
	l.FiltersDone, l.MaxTokens = true, h.req.project.MaxAnswerTokens
	if !model.Runs {
		return first.Then(h.s.viewer.Bound(ctx, h.s.scope, src, l))
	}
	return first.Then(h.s.viewer.Show(ctx, h.s.scope, src, l).OrToolError())
}

// filter runs the filters over an answer and stores their output for the stages.
func (h *hooks) filter(ctx context.Context, src result.Source, reply flow.Reply, filters, stages bool) (view.Result, []abi.HookContent) {
	switch {
	case reply.Error != nil && filters:
		return h.s.viewer.Error(ctx, h.s.scope, src, reply.Error), nil
	case reply.Error != nil:
		return view.Result{Reply: reply}, nil
	}
	l := result.Tool(reply.Result, filters)
	if !stages {
		l.WithoutStages()
	}
	res, shown := h.s.viewer.Filter(ctx, h.s.scope, src, l)
	return res, l.Stored(shown)
}

// resultFor returns an answer as the result hooks get it.
func (h *hooks) resultFor(reply flow.Reply, contents []abi.HookContent) flow.SteeredResult {
	r := flow.SteeredResult{Result: reply.Result, HookResult: abi.HookResult{AnsweredBy: h.to.Server, Contents: contents}}
	if h.verdict.Answer != nil {
		r.AnsweredBy = h.verdict.By
	}
	if reply.Error != nil {
		r.Result = jsonedit.Object(jsonedit.Raw("error", reply.Error))
		r.ProtocolError = true
	}
	r.IsError = r.ProtocolError || result.IsError(flow.Reply{Result: reply.Result})
	r.Bytes = len(r.Result)
	return r
}

// showReplacement shows the answer that a result hook wrote in place of another.
func (h *hooks) showReplacement(ctx context.Context, src result.Source, a *flow.SteeredAnswer, model Model) view.Result {
	l := result.Tool(a.Result, model.Filters)
	stages := a.Stages && model.Runs
	if !stages {
		l.WithoutStages()
	} else {
		l.MaxTokens = h.req.project.MaxAnswerTokens
	}
	res := h.s.viewer.Show(ctx, h.s.scope, src, l).OrToolError()
	res.Changed = true
	if !stages {
		res.After = result.TextTokens(res.Reply.Result)
	}
	return res
}

// readsBlocks reports whether a model reads the blocks that are added to an answer.
func (h *hooks) readsBlocks(reply flow.Reply) bool {
	structured := jsonedit.Has(reply.Result, "structuredContent")
	return reply.Error == nil && !result.IsTask(reply.Result) && !(structured && mayHaveSchema(h.asked))
}

// addBlocks adds the blocks before and after an answer. Filters run over them as over any
// text.
func (h *hooks) addBlocks(ctx context.Context, reply flow.Reply) flow.Reply {
	e := &h.req.event
	if reply.Error == nil && result.IsTask(reply.Result) {
		e.BlockUnseen = true // its result is the answer to another request
		return reply
	}
	src := toolSource(h.to)
	before, after := h.s.display.filterTexts(ctx, h.req, src, h.before), h.s.display.filterTexts(ctx, h.req, src, h.after)
	for _, text := range slices.Concat(before, after) {
		e.OutTokens += abi.EstimateTokens(text)
	}
	e.Changed = true
	if reply.Error != nil {
		return flow.Reply{Error: result.ErrorWithBlocks(reply.Error, before, after)}
	}
	var out []byte
	out, e.BlockUnseen = result.WithBlocks(reply.Result, before, after, mayHaveSchema(h.asked))
	return flow.Reply{Result: out}
}

// mayHaveSchema reports whether the client may have an outputSchema of the called tool.
// If the session hides the tool, it does not, unless it has listed its tools in an
// earlier session.
func mayHaveSchema(c flow.SteeredCall) bool {
	if c.Listed && c.Tool.Hidden {
		return false
	}
	m := jsonedit.Member(c.Tool.Definition, "outputSchema")
	return m.End > 0 && jsonspan.KindAt(c.Tool.Definition, m.Start) != jsonspan.Null
}
