package pipeline

import (
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	breakAfter  = 3 // failures
	breakWithin = time.Minute
	waitFirst   = time.Second // until a module is tried again; doubles
	waitMost    = time.Minute
)

// breaker takes modules that keep failing out of service, by hash. Safe for
// concurrent use.
type breaker struct {
	now func() time.Time

	mu     sync.Mutex
	health map[string]*health // of modules that failed lately
}

// health of one module. Closed while wait is 0.
type health struct {
	failures []time.Time // the latest, while closed
	wait     time.Duration
	until    time.Time // no run before
	trial    bool      // one run is under way to find out
}

// permit is the permission for one run.
type permit struct{ trial bool }

func newBreaker(now func() time.Time) *breaker {
	return &breaker{now: now, health: make(map[string]*health)}
}

// allow asks for a run. The caller reports by done how it ended.
//
// Errors: abi.ErrUnavailable while the module is out of service.
func (b *breaker) allow(hash string) (permit, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.health[hash]
	if h == nil || h.wait == 0 {
		return permit{}, nil
	}
	left := h.until.Sub(b.now())
	if left <= 0 && !h.trial {
		h.trial = true
		return permit{trial: true}, nil
	}
	when := "being tried again now"
	if left > 0 {
		when = fmt.Sprintf("tried again in %v", left.Round(100*time.Millisecond))
	}
	return permit{}, faultf(abi.ErrUnavailable, "module is out of service after %d failures in %v, %s", breakAfter, breakWithin, when)
}

// verdict is how a run ended, as far as the module is concerned.
type verdict int

const (
	good verdict = iota
	failed
	unknown // cancelled, or not the module's doing
)

// done reports the end of a run.
func (b *breaker) done(hash string, p permit, v verdict) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.health[hash]
	if h == nil {
		if v != failed {
			return
		}
		h = new(health)
		b.health[hash] = h
	}
	switch {
	case p.trial:
		b.judge(hash, h, v)
	case v == failed && h.wait == 0:
		b.count(h)
	}
}

// judge ends the trial of a module that is out of service.
func (b *breaker) judge(hash string, h *health, v verdict) {
	h.trial = false
	switch v {
	case good:
		delete(b.health, hash)
	case failed:
		h.wait = min(2*h.wait, waitMost)
		h.until = b.now().Add(h.wait)
	}
}

// count notes a failure and takes the module out of service at the third.
func (b *breaker) count(h *health) {
	now := b.now()
	recent := h.failures[:0]
	for _, t := range h.failures {
		if now.Sub(t) < breakWithin {
			recent = append(recent, t)
		}
	}
	h.failures = append(recent, now)
	if len(h.failures) >= breakAfter {
		h.failures, h.wait, h.until = nil, waitFirst, now.Add(waitFirst)
	}
}
