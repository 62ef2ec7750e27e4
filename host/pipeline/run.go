package pipeline

import (
	"context"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
)

// outcome is the end of one run.
type outcome struct {
	value       value
	meta        map[string]string
	log         []abi.LogLine
	private     bool
	provisional bool
	settled     <-chan struct{}

	err     error
	verdict breaker.Verdict
	opened  bool // it took the entry out of service
	skipped bool // the entry is out of service
	own     bool // run for this caller, not for one it waited with
}

// obtain runs a step, or waits for an equal run that is under way.
//
// Errors: only that of ctx; a failure of the run is in the outcome.
func (t *tour) obtain(ctx context.Context, s *Step, c abi.Call, key [32]byte) (outcome, error) {
	sample := t.r.Sample
	if !t.r.Cacheable {
		out := t.p.runOnce(ctx, s, c, sample)
		out.own = true
		return out, context.Cause(ctx)
	}
	by := t.producer(s)
	out, own, err := t.p.join(ctx, key, func(ctx context.Context) outcome {
		out := t.p.runOnce(ctx, s, c, sample)
		if out.err == nil && !out.private && !out.provisional && t.p.cache != nil {
			t.p.cache.Put(key, by, out.value.encode())
		}
		return out
	})
	if err == nil && out.private && !own { // it read another session's name
		out = t.p.runOnce(ctx, s, c, sample)
		own, err = true, context.Cause(ctx)
	}
	out.own = own
	return out, err
}

// runOnce runs a step if its entry is in service, and reports the end to the breaker. A
// sample runs in any case and does not count.
func (p *Pipeline) runOnce(ctx context.Context, s *Step, c abi.Call, sample bool) outcome {
	var permit breaker.Permit[entry]
	if !sample {
		var err error
		if permit, err = p.breaker.Allow(s.entry(), max(len(c.Input), len(c.Original))); err != nil {
			return outcome{err: err, verdict: breaker.Unknown, skipped: true}
		}
	}
	out, err := guarded(ctx, s.Runner, c)
	verdict := verdictOf(ctx, err)
	opened := !sample && p.breaker.Done(permit, verdict)
	if err != nil {
		return outcome{err: err, verdict: verdict, opened: opened, log: out.Log}
	}
	if c.Context.Kind == abi.KindFilter {
		out.Marks, out.Tree = nil, abi.Tree{} // a filter's output is an original: it has neither
	} else if out.Pass {
		out.Marks = c.Marks
	}
	return outcome{
		value: newValue(&out), meta: out.Meta, log: out.Log,
		private: out.Private, provisional: out.Provisional, settled: out.Settled,
	}
}

// guarded turns a panic of the runner into a failure of its module.
func guarded(ctx context.Context, r Runner, c abi.Call) (out abi.Output, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = abi.Output{}, faultf(abi.ErrGuest, "host panicked while it ran: %v", v)
		}
	}()
	return r.Run(ctx, c)
}
