package controller

import (
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	breakAfter  = 3 // failures
	breakWithin = time.Minute
	waitFirst   = time.Second // until a controller is tried again; doubles
	waitMost    = time.Minute
)

// breaker takes controllers that keep failing out of service, so that one which
// runs into its time limit does not cost every call that time. Safe for
// concurrent use.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	circuits map[circuitKey]*circuit // of those that failed lately
}

// circuitKey is a role of a module as a project configures it.
type circuitKey struct{ module, role, config string }

type circuit struct {
	failures []time.Time   // within breakWithin, while in service
	wait     time.Duration // 0: in service
	until    time.Time
	trial    bool // a hook runs to find out
}

func newBreaker(now func() time.Time) *breaker {
	return &breaker{now: now, circuits: make(map[circuitKey]*circuit)}
}

// allow asks for one run; trial is handed to done.
//
// Errors: abi.ErrUnavailable while the controller is out of service.
func (b *breaker) allow(k circuitKey) (trial bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[k]
	if c == nil || c.wait == 0 {
		return false, nil
	}
	left := c.until.Sub(b.now())
	switch {
	case left > 0:
		return false, faultf(abi.ErrUnavailable, "did not run: out of service after %d failures in %v, tried again in %v", breakAfter, breakWithin, left.Round(100*time.Millisecond))
	case c.trial:
		return false, faultf(abi.ErrUnavailable, "did not run: out of service after %d failures in %v, being tried again now", breakAfter, breakWithin)
	}
	c.trial = true
	return true, nil
}

// done reports how a run ended.
func (b *breaker) done(k circuitKey, trial bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[k]
	switch {
	case trial:
		b.judge(k, c, err)
	case against(err):
		if c == nil {
			b.forget()
			c = new(circuit)
			b.circuits[k] = c
		}
		if c.wait == 0 {
			c.count(b.now())
		}
	}
}

// judge ends a trial. Who says FAIL in order works; one that was given up says
// nothing, and the next hook tries.
func (b *breaker) judge(k circuitKey, c *circuit, err error) {
	c.trial = false
	switch {
	case err == nil, errors.Is(err, abi.ErrRefused):
		delete(b.circuits, k)
	case against(err):
		c.wait = min(2*c.wait, waitMost)
		c.until = b.now().Add(c.wait)
	}
}

// count notes a failure. The third takes the controller out of service.
func (c *circuit) count(now time.Time) {
	recent := c.failures[:0]
	for _, at := range c.failures {
		if now.Sub(at) < breakWithin {
			recent = append(recent, at)
		}
	}
	c.failures = append(recent, now)
	if len(c.failures) >= breakAfter {
		c.failures, c.wait, c.until = nil, waitFirst, now.Add(waitFirst)
	}
}

// forget removes circuits that nobody asked for in a long time.
func (b *breaker) forget() {
	now := b.now()
	for k, c := range b.circuits {
		last := c.until
		if n := len(c.failures); n > 0 {
			last = c.failures[n-1]
		}
		if !c.trial && now.Sub(last) > waitMost {
			delete(b.circuits, k)
		}
	}
}
