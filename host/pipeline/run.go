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
	stats       abi.RunStats

	err     error
	verdict breaker.Verdict
	opened  bool // the run made the breaker disable the entry
	skipped bool // the entry is disabled
	own     bool // the run was started by this caller, not joined
	found   bool // nothing was run: the result is shared
}

// obtain runs a step, or waits for an equal run in progress.
//
// Errors: only that of ctx; a failure of the run is in the outcome.
func (l *loop) obtain(ctx context.Context, s *Step, c abi.Call, key [32]byte) (outcome, error) {
	sample := l.r.Sample
	if !l.r.Cacheable {
		out := l.p.runOnce(ctx, s, c, sample)
		out.own = true
		return out, context.Cause(ctx)
	}
	by := l.producer(s)
	shared := l.sharedRun(s, &c, key)
	out, own, err := l.p.join(ctx, key, func(ctx context.Context) outcome {
		out := l.p.runShared(ctx, s, c, shared, sample)
		if out.err == nil && !out.private && !out.provisional && l.p.cache != nil {
			l.p.cache.Put(key, by, out.value.encode())
		}
		return out
	})
	if err == nil && out.private && !own { // it read the other session
		out = l.p.runOnce(ctx, s, c, sample)
		own, err = true, context.Cause(ctx)
	}
	out.own = own
	return out, err
}

// runOnce runs a step if its entry is enabled, and reports the result to the
// breaker. A sample always runs and does not count.
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
		return outcome{err: err, verdict: verdict, opened: opened, log: out.Log, stats: out.Stats}
	}
	if c.Context.Kind == abi.KindFilter {
		out.Marks, out.Tree = nil, abi.Tree{} // a filter returns an original, which has neither
	} else if out.Pass {
		out.Marks = c.Marks
	}
	return outcome{
		value: newValue(&out), meta: out.Meta, log: out.Log,
		private: out.Private, provisional: out.Provisional, settled: out.Settled, stats: out.Stats,
	}
}

// guarded calls the runner and converts a panic into an error of its module.
func guarded(ctx context.Context, r Runner, c abi.Call) (out abi.Output, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = abi.Output{}, faultf(abi.ErrGuest, "host panicked while it ran: %v", v)
		}
	}()
	return r.Run(ctx, c)
}
