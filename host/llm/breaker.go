package llm

import (
	"sync"
	"time"
)

const (
	breakAfter = 5 // failures in a row
	waitFirst  = 5 * time.Second
	waitMost   = 2 * time.Minute
)

// breaker keeps a provider that keeps failing from being asked, and one that
// wants to be left alone for a time. Safe for concurrent use.
type breaker struct {
	mu       sync.Mutex
	failures int           // in a row
	wait     time.Duration // of the time it is out of order; 0 in order
	until    time.Time     // not asked before
	trial    bool          // one request is under way to find out
	paused   time.Time     // as it said itself; requests wait for that
	halt     chan struct{} // closed by a pause that is longer than guests wait
}

// left is for how long it will not be asked; 0 if a request may try.
func (b *breaker) left() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch left := time.Until(b.until); {
	case b.wait == 0:
		return 0
	case left <= 0 && b.trial:
		return time.Second // about: until the one that tries is back
	default:
		return max(left, 0)
	}
}

// allow asks for an attempt; release or done must follow if it is granted.
func (b *breaker) allow() (ok, trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.wait == 0:
		return true, false
	case b.trial || time.Until(b.until) > 0:
		return false, false
	}
	b.trial = true
	return true, true
}

// release ends an attempt that says nothing about the provider.
func (b *breaker) release(trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = b.trial && !trial
}

// done ends an attempt that went well or speaks against the provider, and tells
// whether that put it out of order.
func (b *breaker) done(trial, well bool) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = b.trial && !trial
	if well {
		b.failures, b.wait = 0, 0
		return false
	}
	b.failures++
	switch {
	case trial:
		b.wait = min(2*b.wait, waitMost)
	case b.wait == 0 && b.failures >= breakAfter:
		b.wait, opened = waitFirst, true
	default:
		return false // those that were under way when it opened add nothing
	}
	b.until = time.Now().Add(b.wait)
	return opened
}

// pause notes that the provider wants no request for a time.
func (b *breaker) pause(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	until := time.Now().Add(d)
	if !until.After(b.paused) {
		return
	}
	b.paused = until
	if b.halt != nil && d > guestWaits {
		close(b.halt)
		b.halt = nil
	}
}

// halted is closed during a long pause, and when one begins.
func (b *breaker) halted() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Until(b.paused) > guestWaits {
		return always
	}
	if b.halt == nil {
		b.halt = make(chan struct{})
	}
	return b.halt
}

var always = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// resting is what is left of that time.
func (b *breaker) resting() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(time.Until(b.paused), 0)
}
