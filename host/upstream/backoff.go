package upstream

import (
	"context"
	"time"
)

// How long to wait before a lost connection is made anew: doubling from the
// first to the last. A connection that lived for steady, or answered a call, was
// a good one: counting starts again.
const (
	firstBackoff = 200 * time.Millisecond
	lastBackoff  = 30 * time.Second
	steady       = 10 * time.Second
)

// backoff returns the wait after so many failures in a row.
func backoff(failures int) time.Duration {
	if failures > 8 {
		return lastBackoff
	}
	return min(firstBackoff<<max(failures-1, 0), lastBackoff)
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
