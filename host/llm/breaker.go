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

// breaker stops requests to a provider that keeps failing, and to one that asked for a
// pause. Safe for concurrent use.
type breaker struct {
	mu       sync.Mutex
	failures int           // in a row
	wait     time.Duration // out of service for so long; 0 if in service
	until    time.Time     // no attempt before
	trial    bool          // one attempt is in progress to check the provider
	paused   time.Time     // end of the pause that the provider asked for
	halt     chan struct{} // closed by a pause that is longer than guestWaits
}

// retryIn returns the time until a request may try again; 0 if one may try now.
func (b *breaker) retryIn() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch left := time.Until(b.until); {
	case b.wait == 0:
		return 0
	case left <= 0 && b.trial:
		return time.Second // an estimate of the time until the attempt in progress ends
	default:
		return max(left, 0)
	}
}

// allow asks for permission for an attempt. If it is granted, the caller must call
// release or done.
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

// release ends an attempt that does not count for or against the provider.
func (b *breaker) release(trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = b.trial && !trial
}

// done ends an attempt that succeeded or counts against the provider. It reports whether
// the provider is out of service from now on.
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
		return false // requests that were in progress when it opened do not count
	}
	b.until = time.Now().Add(b.wait)
	return opened
}

// pause records that the provider accepts no request for a time.
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

// pauseStarted returns a channel that is closed during a long pause, and when one
// begins.
func (b *breaker) pauseStarted() <-chan struct{} {
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

// pauseLeft returns the remaining time of the pause.
func (b *breaker) pauseLeft() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(time.Until(b.paused), 0)
}
