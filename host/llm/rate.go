package llm

import (
	"context"
	"sync"
	"time"
)

// rate bounds requests in any minute, as providers count them. A full bucket
// starts them at once; each token comes back a minute after it was taken.
// Safe for concurrent use.
type rate struct {
	mu    sync.Mutex
	taken []time.Time // a ring: when each token was taken, or will be
	next  int
}

// newRate makes a bound; nil, which is none, for 0.
func newRate(perMinute int) *rate {
	if perMinute == 0 {
		return nil
	}
	return &rate{taken: make([]time.Time, perMinute)}
}

// wait takes a token, waiting until there is one. It is lost if ctx ends first.
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

// sleep waits for a time, or until ctx ends and says why.
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
