package proxy

import (
	"context"
	"time"
)

// drainTick is how often Drain looks whether requests are still running.
const drainTick = 20 * time.Millisecond

// Drain lets the requests that run end, at most until ctx does, and then ends
// all sessions, which closes their streams. New requests should have been
// stopped before.
func (e *Endpoint) Drain(ctx context.Context) {
	tick := time.NewTicker(drainTick)
	defer tick.Stop()
	for e.running() > 0 {
		select {
		case <-ctx.Done():
			e.Close()
			return
		case <-tick.C:
		}
	}
	e.Close()
}

// running counts the requests of all sessions that are not answered yet.
func (e *Endpoint) running() (n int) {
	for _, t := range e.sessions.of("") {
		t.mu.Lock()
		n += len(t.inFlight)
		t.mu.Unlock()
	}
	return n
}
