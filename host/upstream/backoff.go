package upstream

import (
	"context"
	"time"
)

// The wait before a lost connection is opened again doubles from firstBackoff to
// lastBackoff. It starts at firstBackoff again after a connection that lasted for steady
// or answered a call.
const (
	firstBackoff = 200 * time.Millisecond
	lastBackoff  = 30 * time.Second
	steady       = 10 * time.Second
)

// maxFailures is the number of failures after which the wait is lastBackoff.
const maxFailures = 9

// backoff returns the wait after a number of consecutive failures.
func backoff(failures int) time.Duration {
	if failures >= maxFailures {
		return lastBackoff
	}
	return min(firstBackoff<<max(failures-1, 0), lastBackoff)
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
