package controller

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Result runs on_tool_result in reverse chain order. If a controller answered the
// call, only the controllers before it run. Each sees the result as changed by the
// ones that ran before. If the request is cancelled before all controllers have seen
// the result, the result is withheld.
func (s *Session) Result(ctx context.Context, call flow.SteeredCall, v flow.CallVerdict, res flow.SteeredResult) flow.ResultVerdict {
	var out flow.ResultVerdict
	c, now, facts := s.chain(ctx), call, res.HookResult
	if v.Tool != "" {
		now = s.rewriteCall(call, &abi.CallRewrite{Tool: v.Tool, Arguments: v.Arguments})
	}
	last := len(c.members)
	if v.By != "" {
		last = c.indexOf(v.By)
	}
	for i := last - 1; i >= 0 && ctx.Err() == nil; i-- {
		seen := facts
		q := s.callInput(&call, &now, v.Tool != "", abi.OnToolResult)
		q.input, q.original, q.result = res.Result, res.Result, &seen
		if out.Answer != nil {
			q.input = out.Answer.Result
		}
		r, ran := s.runHook(ctx, c, i, q)
		if !ran {
			continue
		}
		addEffects(&out.Effects, &r)
		switch {
		case r.err != nil && c.members[i].Block:
			out.Answer = errorAnswer(fmt.Sprintf("controller %q failed, result withheld", c.members[i].Role.Name))
		case r.err == nil && r.out.Done:
			out.Answer = newAnswer(&r.out)
		default:
			continue
		}
		facts.ProtocolError, facts.IsError, facts.Bytes = false, isError(out.Answer.Result), len(out.Answer.Result)
	}
	if last > 0 && ctx.Err() != nil { // a client that closes its session during the call still receives the answer
		out.Answer = errorAnswer("the call was cancelled before its result was looked at")
	}
	return out
}
