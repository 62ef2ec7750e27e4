package pipeline

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Recomputed is the result of a run without any cache.
type Recomputed struct {
	Run     flow.SharedRun
	Encoded []byte // nil if the role may use an LLM: another run may return something else
}

// Recompute runs the stages of a request without any cache and returns their results, for a
// comparison with shared ones. It ends after the first stage that may use an LLM, and before
// one whose result is not cached.
//
// Errors: only that of ctx.
func (p *Pipeline) Recompute(ctx context.Context, r Request) (list []Recomputed, err error) {
	l := loop{p: p, r: &r, kind: abi.KindStage, fresh: true, model: p.sharedModel(&r, abi.KindStage), cur: startAt(&r.Content, r.hash())}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Role.Kind != abi.KindStage {
			continue
		}
		if err := l.cur.open(); err != nil {
			return list, nil
		}
		x := p.contextOf(&r, i, len(l.cur.bytes))
		c := l.call(s, x)
		run := l.sharedRun(s, &c, keyOf(s, l.model, &x, l.hashes()))
		switch {
		case run == nil:
			return list, nil
		case run.LLM:
			return append(list, Recomputed{Run: *run}), nil
		}
		out := p.runOnce(ctx, s, c, true)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case out.err != nil && s.policy() == OnFailurePass:
			continue
		case out.err != nil || out.private || out.provisional:
			return list, nil
		}
		list = append(list, Recomputed{Run: *run, Encoded: out.value.encode()})
		l.cur.take(&out.value)
	}
	return list, nil
}
