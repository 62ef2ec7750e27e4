package proxy

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// hooks is one tools/call on its way past the controllers. A nil *hooks is a call
// in a session without any: nothing is done to it.
type hooks struct {
	s       *Session
	req     *request
	to      names.Target // where the call goes
	asked   flow.SteeredCall
	verdict flow.CallVerdict
	refused string // why the call cannot go where it was sent

	before, after [][]byte // blocks for the answer
	hold          *hold    // of the answer, nil: it goes out at once
}

// callHooks asks the controllers about a call. If one sends it elsewhere, that is
// where it goes from here on, with the arguments that c then has.
func (s *Session) callHooks(ctx context.Context, req *request, to names.Target, c *call) *hooks {
	if !s.steered() {
		return nil
	}
	h := &hooks{s: s, req: req, to: to, asked: flow.SteeredCall{
		ID:        s.nextCall(),
		Tool:      s.tools.Load().tool(to, c.name),
		Client:    req.Params,
		Arguments: c.args.Raw(),
		Listed:    s.lists.has(tools),
	}}
	if s.steering.Wants(abi.OnToolCall) {
		h.verdict = s.steering.Call(ctx, h.asked)
		h.take(h.verdict.Effects, true)
	}
	if h.verdict.Answer == nil {
		h.redirect(c)
	}
	return h
}

// nextCall numbers the calls of the session that controllers are asked about.
func (s *Session) nextCall() string { return fmt.Sprintf("c%d", s.calls.Add(1)) }

// redirect takes the call to the tool that a controller has rewritten it to.
func (h *hooks) redirect(c *call) {
	if h.verdict.Tool != "" {
		args, err := jsonrpc.DecodeObject(h.verdict.Arguments)
		to, ok := h.s.tools.Load().upstream(h.verdict.Tool)
		if err != nil || !ok {
			h.refused = fmt.Sprintf("%s: sent on to %s, which no server has now", c.name, names.Quote(h.verdict.Tool))
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

// target is where a call to a tool goes.
func (h *hooks) target(to names.Target) names.Target {
	if h == nil {
		return to
	}
	return h.to
}

// answer returns the answer of a controller; ok is false if a server is to give it.
func (h *hooks) answer(ctx context.Context) (reply flow.Reply, ok bool) {
	switch {
	case h == nil:
		return flow.Reply{}, false
	case h.refused != "":
		return textResult(h.refused, true), true
	case h.verdict.Answer == nil:
		return flow.Reply{}, false
	}
	a := h.verdict.Answer
	res := h.show(ctx, toolSource(h.to), flow.Reply{Result: a.Result}, a.Stages)
	if !a.Stages {
		res.before, res.after = 0, textTokens(res.reply.Result)
	}
	h.req.event.shown(res)
	return res.reply, true
}

// finish puts the blocks round an answer and holds it back if it has to wait.
func (h *hooks) finish(ctx context.Context, reply flow.Reply) flow.Reply {
	if h == nil {
		return reply
	}
	if h.s.late.any() && h.isRead(reply) {
		h.after = append(h.after, h.s.lateInstructions(h.verdict.Answer != nil)...)
	}
	if len(h.before)+len(h.after) > 0 {
		reply = h.round(ctx, reply)
	}
	h.hold.wait(ctx)
	return reply
}

// isRead reports whether a model reads a block that is added to an answer.
func (h *hooks) isRead(reply flow.Reply) bool {
	structured := jsonedit.Has(reply.Result, "structuredContent")
	return reply.Error == nil && !isTask(reply.Result) && !(structured && mayHoldSchema(h.asked))
}

// close ends what the call has waiting, however it ended.
func (h *hooks) close() {
	if h != nil {
		h.s.rereads.drop(h.hold)
	}
}

// take takes what hooks want done. Blocks of the call hooks stand outside those of
// the result hooks.
func (h *hooks) take(fx flow.Effects, call bool) {
	h.req.event.Hooks = append(h.req.event.Hooks, fx.Reports...)
	h.before = append(h.before, fx.Before...)
	if call {
		h.after = fx.After
	} else {
		h.after = slices.Concat(fx.After, h.after)
	}
	if len(fx.Notes) == 0 {
		return
	}
	wait := h.s.rereads.hold()
	if !h.s.tell(fx.Notes) || !h.s.profile.ListChanged {
		h.s.rereads.drop(wait)
		return
	}
	h.s.rereads.drop(h.hold)
	h.hold = wait
}

// wantResult reports whether a controller is to see the answer.
func (h *hooks) wantResult() bool { return h != nil && h.s.steering.Wants(abi.OnToolResult) }

// show is Session.showTool with the result hooks between the filters and the
// stages, which run if the answer is for them. Nothing of it is remembered: the
// same answer may be shown otherwise the next time.
func (h *hooks) show(ctx context.Context, src source, reply flow.Reply, stages bool) shownResult {
	model := h.req.project.model(src.kind, src.name)
	first, contents := h.filter(ctx, src, reply, model.Filters, stages) //            5, 6
	if first.blocked != "" {
		return refused(first)
	}
	if h.wantResult() { //                                                            7
		v := h.s.steering.Result(ctx, h.asked, h.verdict, h.result(first.reply, contents))
		h.take(v.Effects, false)
		if v.Answer != nil {
			return first.then(h.replaced(ctx, src, v.Answer, model))
		}
	}
	if !stages || !model.Runs || first.reply.Error != nil {
		return first
	}
	l := toolLayout(first.reply.Result, false) //                                     8, 9
	l.sifted = true
	return first.then(refused(show(ctx, h.s.e.Transformer, h.s.scope, src, l)))
}

// filter runs the filters over an answer and stores what they leave for the stages.
func (h *hooks) filter(ctx context.Context, src source, reply flow.Reply, filters, stages bool) (shownResult, []abi.HookContent) {
	switch {
	case reply.Error != nil && filters:
		return h.s.showError(ctx, src, reply.Error), nil
	case reply.Error != nil:
		return shownResult{reply: reply}, nil
	}
	l := toolLayout(reply.Result, filters)
	if !stages {
		l.keepFromStages()
	}
	res, shown := showParts(ctx, filterOnly{h.s.e.Transformer}, h.s.scope, src, l)
	return res, l.contents(shown)
}

// contents tells which parts of a result were stored.
func (l *layout) contents(shown []flow.Shown) (stored []abi.HookContent) {
	for i, sh := range shown {
		if sh.Ref == "" {
			continue
		}
		text, kind := sh.Text, l.parts[i].kind()
		if sh.Changed {
			kind = abi.PartText
		} else {
			text, _ = l.bytes(i)
		}
		stored = append(stored, abi.HookContent{Ref: sh.Ref, Kind: kind, Index: i, Bytes: len(text), MIME: jsonedit.Text(l.raw, l.parts[i].mime)})
	}
	return stored
}

// result is an answer as the result hooks see it.
func (h *hooks) result(reply flow.Reply, contents []abi.HookContent) flow.SteeredResult {
	r := flow.SteeredResult{Result: reply.Result, HookResult: abi.HookResult{AnsweredBy: h.to.Server, Contents: contents}}
	if h.verdict.Answer != nil {
		r.AnsweredBy = h.verdict.By
	}
	if reply.Error != nil {
		r.Result = jsonedit.Object(jsonedit.Raw("error", reply.Error))
		r.ProtocolError = true
	}
	r.IsError = r.ProtocolError || isErrorResult(flow.Reply{Result: reply.Result})
	r.Bytes = len(r.Result)
	return r
}

// replaced is the answer that a result hook wrote in place of another.
func (h *hooks) replaced(ctx context.Context, src source, a *flow.SteeredAnswer, model Model) shownResult {
	l := toolLayout(a.Result, model.Filters)
	stages := a.Stages && model.Runs
	if !stages {
		l.keepFromStages()
	}
	res := refused(show(ctx, h.s.e.Transformer, h.s.scope, src, l))
	res.changed = true
	if !stages {
		res.after = textTokens(res.reply.Result)
	}
	return res
}

// then joins two passes over a result: what the first made was shown as the second
// says.
func (r shownResult) then(next shownResult) shownResult {
	next.before, next.changed, next.final = r.before, next.changed || r.changed, false
	next.reports = append(r.reports, next.reports...)
	for _, ref := range next.refs {
		if !slices.Contains(r.refs, ref) {
			r.refs = append(r.refs, ref)
		}
	}
	next.refs = r.refs
	return next
}
