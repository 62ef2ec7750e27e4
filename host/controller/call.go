package controller

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// addEffects appends the effects and the report of a hook.
func addEffects(fx *flow.Effects, r *hookOutcome) {
	fx.Before = append(fx.Before, r.out.Before...)
	fx.After = append(fx.After, r.out.After...)
	fx.Notes = append(fx.Notes, r.out.Notes...)
	fx.Reports = append(fx.Reports, r.report)
}

// Call runs on_tool_call in chain order until a controller answers. If a controller
// rewrites the call, the ones after it see the rewritten call. A call of a virtual
// tool stops after the owner of the tool.
func (s *Session) Call(ctx context.Context, call flow.SteeredCall) flow.CallVerdict {
	var v flow.CallVerdict
	c, now := s.chain(ctx), call
	for i := 0; i < c.countReached(&now.Tool) && v.Answer == nil && ctx.Err() == nil; i++ {
		m := &c.members[i]
		r, ran := s.runHook(ctx, c, i, s.callInput(&call, &now, v.Tool != "", abi.OnToolCall))
		if ran {
			addEffects(&v.Effects, &r)
			s.applyDecision(&v, m, &r, &now)
		}
	}
	switch {
	case v.Answer != nil:
	case ctx.Err() != nil: // do not start a call with possible side effects for a client that has gone
		v.Answer = errorAnswer("the call was cancelled before it was routed")
		v.By = firstRole(c)
	case now.Tool.Kind == abi.ToolVirtual:
		v.Answer = noAnswer(c, &now.Tool)
		v.By = now.Tool.Owner
	}
	return v
}

// countReached returns the number of members that see a call of t.
func (c *Chain) countReached(t *flow.ListedTool) int {
	if t.Kind == abi.ToolVirtual {
		return c.indexOf(t.Owner) + 1
	}
	return len(c.members)
}

// applyDecision applies the decision of one hook to the verdict and to the call.
func (s *Session) applyDecision(v *flow.CallVerdict, m *Member, r *hookOutcome, now *flow.SteeredCall) {
	own := now.Tool.Kind == abi.ToolVirtual && now.Tool.Owner == m.Role.Name
	switch {
	case r.err != nil && m.Block:
		v.Answer, v.By = errorAnswer(fmt.Sprintf("controller %q failed, so the call was not made", m.Role.Name)), m.Role.Name
	case r.err != nil && own:
		v.Answer, v.By = errorAnswer(fmt.Sprintf("controller %q failed at its tool %s", m.Role.Name, now.Tool.Label)), m.Role.Name
	case r.err != nil:
	case r.out.Done:
		v.Answer, v.By = newAnswer(&r.out), m.Role.Name
	case r.out.Rewrite != nil:
		*now = s.rewriteCall(*now, r.out.Rewrite)
		v.Tool, v.Arguments = now.Tool.Label, now.Arguments
	}
}

// rewriteCall returns the call after a rewrite.
func (s *Session) rewriteCall(now flow.SteeredCall, to *abi.CallRewrite) flow.SteeredCall {
	now.Tool = flow.ListedTool{Label: to.Tool, Wire: to.Tool, Kind: abi.ToolUpstream}
	now.Arguments = to.Arguments
	tools := s.tools()
	at := slices.IndexFunc(tools, func(t flow.ListedTool) bool { return t.Kind == abi.ToolUpstream && t.Label == to.Tool })
	if at < 0 {
		at = slices.IndexFunc(tools, func(t flow.ListedTool) bool { return t.Kind == abi.ToolUpstream && t.Wire == to.Tool })
	}
	if at >= 0 {
		now.Tool = tools[at]
	}
	return now
}

// isReadOnly reports whether the definition of a tool has readOnlyHint true.
func isReadOnly(definition []byte) bool {
	m, ok := jsonspan.Lookup(definition, "/annotations/readOnlyHint")
	return ok && string(definition[m.Start:m.End]) == "true"
}

// callInput returns the input of on_tool_call and on_tool_result. call is the client's
// call, now the same call after rewrites.
func (s *Session) callInput(call, now *flow.SteeredCall, rewritten bool, h abi.Hook) hookInput {
	return hookInput{
		hook: h, input: now.Arguments, original: call.Arguments, name: now.Tool.Label, client: call.Client,
		owner: now.Tool.Owner,
		call: &abi.CalledTool{
			ID: call.ID, Tool: now.Tool.Label, Wire: now.Tool.Wire, Virtual: now.Tool.Kind == abi.ToolVirtual,
			Rewritten: rewritten, Listed: call.Listed, ReadOnly: isReadOnly(now.Tool.Definition),
		},
	}
}

// noAnswer returns the error result for a virtual tool that no controller answered.
func noAnswer(c *Chain, t *flow.ListedTool) *flow.SteeredAnswer {
	if c.indexOf(t.Owner) < 0 {
		return errorAnswer(fmt.Sprintf("tool %s belongs to the controller %q, which the project has no more: list the tools again", t.Label, t.Owner))
	}
	return errorAnswer(fmt.Sprintf("tool %s: controller %q gave no answer", t.Label, t.Owner))
}

// firstRole returns the first role of the chain, or "".
func firstRole(c *Chain) string {
	if len(c.members) == 0 {
		return ""
	}
	return c.members[0].Role.Name
}
