package llm

import (
	"context"
	"sync"
	"time"
)

// rate limits requests per minute, as providers count them. A full bucket sends requests
// immediately; each token returns one minute after it was taken. Safe for concurrent
// use.
type rate struct {
	mu    sync.Mutex
	taken []time.Time // a ring: when each token was taken, or will be
	next  int
}

// newRate returns a limit, or nil for 0, which is unlimited.
func newRate(perMinute int) *rate {
	if perMinute == 0 {
		return nil
	}
	return &rate{taken: make([]time.Time, perMinute)}
}

// wait takes a token and waits until there is one. The token is lost if ctx ends first.
func (r *rate) wait(ctx context.Context) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	at := time.Now()
	if back := r.taken[r.next].Add(time.Minute); back.After(at) {
		at = back
	}
	r.taken[r.next] = at
	r.next = (r.next + 1) % len(r.taken)
	r.mu.Unlock()
	return sleep(ctx, time.Until(at))
}

// sleep waits for a time, or returns the cause of ctx when it ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
