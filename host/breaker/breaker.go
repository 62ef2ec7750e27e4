// Package breaker implements a circuit breaker. A key is taken out of service after
// three failures within a minute. It is tried again after a second; each failed
// trial doubles the wait, up to a minute.
//
// A Breaker stores circuits only for keys that failed recently. Its callers define
// keys and failures: host/pipeline for stages, host/controller for controllers.
// host/llm has its own breaker for LLM requests, which respects the waiting times
// that a provider requests.
package breaker

import (
	"math/bits"
	"sync"
	"time"
)

// A key goes out of service after the number After of failures in the time Within.
const (
	After     = 3
	Within    = time.Minute
	waitFirst = time.Second // until the first trial; doubles after each failed trial
	waitMost  = time.Minute
)

// Breaker takes keys out of service that fail repeatedly. A failure at a limit
// counts only for Contents of at least the same size, because smaller Contents may
// still succeed. Breaker is safe for concurrent use.
type Breaker[K comparable] struct {
	now func() time.Time

	mu       sync.Mutex
	circuits map[K]*circuit // of keys that failed recently
}

// Permit is the permission for one run.
type Permit[K comparable] struct {
	key   K
	size  int
	trial bool
}

// Verdict is the outcome of a run.
type Verdict int

// Verdicts.
const (
	Good Verdict = iota
	Failed
	Exceeded // failed at a limit
	Unknown  // cancelled, or failed for a reason outside the module
)

// isFailure reports whether v counts as a failure of the key.
func (v Verdict) isFailure() bool { return v == Failed || v == Exceeded }

// New returns a Breaker with all keys in service.
func New[K comparable](now func() time.Time) *Breaker[K] {
	return &Breaker[K]{now: now, circuits: make(map[K]*circuit)}
}

// Allow returns a Permit for a run over a Content of size bytes; size is 0 if it does
// not matter. The caller reports the outcome with Done.
//
// It returns an *OutError while the key is out of service for this size.
func (b *Breaker[K]) Allow(k K, size int) (Permit[K], error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := Permit[K]{key: k, size: size}
	c := b.circuits[k]
	if c.isInService(size) {
		return p, nil
	}
	left := c.until.Sub(b.now())
	if left <= 0 && !c.trial {
		c.trial, p.trial = true, true
		return p, nil
	}
	return Permit[K]{}, &OutError{From: c.from, Left: max(0, left)}
}

// Done records the outcome of a run. It reports whether the key was in service
// before and is out of service now.
func (b *Breaker[K]) Done(p Permit[K], v Verdict) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[p.key]
	if c != nil && p.trial {
		b.endTrial(p.key, c, v)
		return false
	}
	if !v.isFailure() {
		return false
	}
	f := failure{at: b.now()}
	if v == Exceeded {
		f.from = magnitude(p.size)
	}
	if c == nil {
		b.removeUnused()
		c = new(circuit)
		b.circuits[p.key] = c
	}
	if c.wait != 0 && f.from >= c.from {
		return false
	}
	served := c.wait == 0
	c.addFailure(f)
	return served && c.wait != 0
}

// magnitude returns the largest power of two that is at most n, or 0. Failures are
// counted by magnitude, so that a caller that retries with slightly smaller Contents is
// stopped after a few failures.
func magnitude(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << (bits.Len(uint(n)) - 1)
}

// endTrial ends the trial of a key that is out of service. After an Unknown verdict the
// next run is a new trial.
func (b *Breaker[K]) endTrial(k K, c *circuit, v Verdict) {
	c.trial = false
	switch {
	case v == Good:
		delete(b.circuits, k)
	case v.isFailure():
		c.wait = min(2*c.wait, waitMost)
		c.until = b.now().Add(c.wait)
	}
}

// removeUnused removes circuits that were not used for waitMost, mainly those of replaced
// modules.
func (b *Breaker[K]) removeUnused() {
	now := b.now()
	for k, c := range b.circuits {
		if !c.trial && now.Sub(c.lastTime()) > waitMost {
			delete(b.circuits, k)
		}
	}
}
