// Package breaker takes out of service what keeps failing: three failures in a
// minute, tried again after a second, each time that fails after twice as long.
//
// A Breaker holds one circuit for each key, and only for keys that failed
// lately. What a failure is, and what a key, its callers decide: the pipeline for
// stages, host/controller for controllers. Calls to an LLM have a breaker of
// their own in host/llm, which knows about waiting times that a provider asks for.
package breaker

import (
	"math/bits"
	"sync"
	"time"
)

// When a key goes out of service, and for how long.
const (
	After     = 3 // failures
	Within    = time.Minute
	waitFirst = time.Second // until a key is tried again; doubles
	waitMost  = time.Minute
)

// Breaker takes keys that keep failing out of service. A failure speaks against
// the key that failed, and if it was at a limit, only against Contents as large
// as the one that led to it: what exhausts a guest says nothing of the next small
// one. Safe for concurrent use.
type Breaker[K comparable] struct {
	now func() time.Time

	mu       sync.Mutex
	circuits map[K]*circuit // of keys that failed lately
}

// Permit is the permission for one run.
type Permit[K comparable] struct {
	key   K
	size  int
	trial bool
}

// Verdict is how a run ended, as far as its key is concerned.
type Verdict int

// Verdicts. Unknown says nothing either way: the run was given up, or its end
// was not the module's doing.
const (
	Good Verdict = iota
	Failed
	Exceeded // failed at a limit
	Unknown
)

// against reports whether a run speaks against its key.
func (v Verdict) against() bool { return v == Failed || v == Exceeded }

// New returns a Breaker in which everything is in service.
func New[K comparable](now func() time.Time) *Breaker[K] {
	return &Breaker[K]{now: now, circuits: make(map[K]*circuit)}
}

// Allow asks for a run over a Content of so many bytes, 0 where size says
// nothing. The caller reports by Done how it ended.
//
// Errors: an *OutError while the key is out of service for such Contents.
func (b *Breaker[K]) Allow(k K, size int) (Permit[K], error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := Permit[K]{key: k, size: size}
	c := b.circuits[k]
	if c.serves(size) {
		return p, nil
	}
	left := c.until.Sub(b.now())
	if left <= 0 && !c.trial {
		c.trial, p.trial = true, true
		return p, nil
	}
	return Permit[K]{}, &OutError{From: c.from, Left: max(0, left)}
}

// Done reports the end of a run, and tells whether it took a key out of service
// that was in service before.
func (b *Breaker[K]) Done(p Permit[K], v Verdict) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[p.key]
	if c != nil && p.trial {
		b.judge(p.key, c, v)
		return false
	}
	if !v.against() {
		return false
	}
	f := failure{at: b.now()}
	if v == Exceeded {
		f.from = magnitude(p.size)
	}
	if c == nil {
		b.forget()
		c = new(circuit)
		b.circuits[p.key] = c
	}
	if c.wait != 0 && f.from >= c.from {
		return false
	}
	served := c.wait == 0
	c.count(f)
	return served && c.wait != 0
}

// magnitude is the largest power of two that is not above n. Failures count by
// it, so that contents that get smaller each time cannot keep a loop running.
func magnitude(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << (bits.Len(uint(n)) - 1)
}

// judge ends the trial of a key that is out of service. One that was given up
// says nothing, and the next run tries.
func (b *Breaker[K]) judge(k K, c *circuit, v Verdict) {
	c.trial = false
	switch {
	case v == Good:
		delete(b.circuits, k)
	case v.against():
		c.wait = min(2*c.wait, waitMost)
		c.until = b.now().Add(c.wait)
	}
}

// forget removes circuits that nobody asked for in a long time: of modules that
// were replaced, most of all.
func (b *Breaker[K]) forget() {
	now := b.now()
	for k, c := range b.circuits {
		if !c.trial && now.Sub(c.last()) > waitMost {
			delete(b.circuits, k)
		}
	}
}
