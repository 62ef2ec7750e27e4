package wasm

import (
	"sync"
	"sync/atomic"
	"time"
)

// clock is the time a run may spend. It stands still while an import waits for
// something outside. Safe for concurrent use.
type clock struct {
	budget time.Duration
	out    atomic.Bool // the budget is spent; imports trap on seeing it
	onOut  func()

	mu      sync.Mutex
	timer   *time.Timer
	since   time.Time // when it last started to run; zero while it stands
	already time.Duration
}

func startClock(budget time.Duration, onOut func()) *clock {
	c := &clock{budget: budget, onOut: onOut}
	c.resume()
	return c
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = time.Now()
	c.timer = time.AfterFunc(c.budget-c.already, c.expire)
}

func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.already += time.Since(c.since)
	c.since = time.Time{}
}

func (c *clock) expire() {
	c.out.Store(true)
	c.onOut()
}

func (c *clock) spent() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		return c.already
	}
	return c.already + time.Since(c.since)
}
