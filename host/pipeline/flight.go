package pipeline

import (
	"context"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/breaker"
)

// flights are the current runs by cache key. Equal runs are run once.
type flights struct {
	mu      sync.Mutex
	running map[[32]byte]*flight
}

// flight is one run and its waiting callers.
type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	out     outcome // set before done is closed
}

// join waits for the run with this key and starts it if there is none. It reports
// whether it started the run. The run is cancelled when no caller waits for it.
//
// Errors: that of ctx.
func (p *Pipeline) join(ctx context.Context, key [32]byte, run func(context.Context) outcome) (outcome, bool, error) {
	f, own := p.flights.enter(key)
	if own {
		p.launch(ctx, key, f, run)
	}
	select {
	case <-f.done:
		return f.out, own, nil
	case <-ctx.Done():
		p.flights.leave(key, f)
		return outcome{}, own, context.Cause(ctx)
	}
}

// launch starts a flight, which ends with its last waiting caller or with the
// Pipeline.
func (p *Pipeline) launch(ctx context.Context, key [32]byte, f *flight, run func(context.Context) outcome) {
	ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	ok := p.spawn(func() {
		defer f.cancel()
		defer context.AfterFunc(p.life, f.cancel)()
		f.out = run(ctx)
		p.flights.land(key, f)
	})
	if !ok {
		f.cancel()
		f.out = outcome{err: faultf(abi.ErrUnavailable, "the host is shutting down"), verdict: breaker.Unknown}
		p.flights.land(key, f)
	}
}

// enter joins a flight or creates one, which the caller starts.
func (g *flights) enter(key [32]byte) (f *flight, own bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, ok := g.running[key]
	if !ok {
		f = &flight{done: make(chan struct{})}
		g.running[key] = f
	}
	f.waiting++
	return f, !ok
}

// leave stops waiting. The last caller cancels the run, and the next one starts
// another.
func (g *flights) leave(key [32]byte, f *flight) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f.waiting--
	if f.waiting == 0 {
		g.remove(key, f)
		f.cancel()
	}
}

func (g *flights) land(key [32]byte, f *flight) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(key, f)
	close(f.done)
}

func (g *flights) remove(key [32]byte, f *flight) {
	if g.running[key] == f {
		delete(g.running, key)
	}
}
