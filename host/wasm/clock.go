package wasm

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// clock is the time a run may spend. It stands still while an import waits for
// something outside. Safe for concurrent use.
//
// It counts no more than the processor time that the whole process has had
// meanwhile, since a guest cannot have had more: what other programs take of the
// machine is not the guest's, and to cut it in mid-work is work for nothing.
type clock struct {
	budget time.Duration
	out    atomic.Bool // the budget is spent; imports trap on seeing it
	onOut  func()
	used   func() (time.Duration, bool) // processor time of the process, if known

	mu      sync.Mutex
	timer   *time.Timer
	since   time.Time     // when it last started to run; zero while it stands
	usedAt  time.Duration // what used said then
	elapsed time.Duration // of earlier times that it ran
	already time.Duration // counted of them
}

// netFactor times the budget is where a run ends whatever else the machine does.
//
// Source: ABI section 16.
const netFactor = 2

func startClock(budget time.Duration, used func() (time.Duration, bool), onOut func()) *clock {
	c := &clock{budget: budget, onOut: onOut, used: used}
	c.resume()
	return c
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = time.Now()
	c.usedAt, _ = c.used()
	c.timer = time.AfterFunc(c.budget-c.already, c.expire)
}

func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.elapsed, c.already = c.read()
	c.since = time.Time{}
}

// stop ends the clock: what it has counted is of no interest any more.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.since = time.Time{}
}

// expire ends the run, unless it goes on.
func (c *clock) expire() {
	if c.goOn() {
		return
	}
	c.out.Store(true)
	c.onOut()
}

// goOn sets the timer to what is left of the budget, if anything is.
func (c *clock) goOn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		return true // it was stopped just now
	}
	elapsed, counted := c.read()
	left := min(c.budget-counted, netFactor*c.budget-elapsed)
	if left > 0 {
		c.timer.Reset(max(left, c.budget/100))
	}
	return left > 0
}

// shortWall is a time of which it does not matter what others have had: to ask takes a
// microsecond, a sixth of a call that does nothing.
const shortWall = 50 * time.Microsecond

// read gives the time that has passed while the clock ran, and what of it counts.
func (c *clock) read() (elapsed, counted time.Duration) {
	if c.since.IsZero() {
		return c.elapsed, c.already
	}
	wall := time.Since(c.since)
	had := wall
	if wall > shortWall {
		if now, ok := c.used(); ok {
			had = min(wall, now-c.usedAt)
		}
	}
	return c.elapsed + wall, c.already + had
}

// spent is what counts so far.
func (c *clock) spent() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, counted := c.read()
	return counted
}

// String describes the time of a run that reached its limit: the time on the wall too if
// other programs kept the processors from it, and whether that was what ended it.
func (c *clock) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	elapsed, counted := c.read()
	if elapsed < counted+c.budget/2 {
		return fmt.Sprintf("%.1fs", counted.Seconds())
	}
	if counted < c.budget {
		return fmt.Sprintf("%.1fs on the wall, twice its limit, %.1fs of them on a processor", elapsed.Seconds(), counted.Seconds())
	}
	return fmt.Sprintf("%.1fs, %.1fs of them on a processor", elapsed.Seconds(), counted.Seconds())
}
