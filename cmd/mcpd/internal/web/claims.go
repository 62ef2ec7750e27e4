package web

import (
	"sync"
	"time"
)

// sweepEvery is the interval at which old ids of calls are removed.
const sweepEvery = time.Minute

// claims removes old ids from time to time. Its zero value is ready to use.
type claims struct {
	mu    sync.Mutex
	swept time.Time
}

// isDue reports whether this request should remove old ids.
func (c *claims) isDue(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.swept) < sweepEvery {
		return false
	}
	c.swept = now
	return true
}
