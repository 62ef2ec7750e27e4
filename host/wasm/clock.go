package wasm

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// clock limits the time of a run. It is paused while an import waits for something
// outside. Safe for concurrent use.
//
// It counts at most the processor time of the whole process in the same period, because
// a guest cannot have used more: time that other programs take from the machine does
// not count against the guest.
type clock struct {
	budget   time.Duration
	expired  atomic.Bool // the budget is used up; imports trap when they see it
	onExpiry func()
	usage    *usage

	mu      sync.Mutex
	timer   *time.Timer
	since   time.Time     // when it last started to run; zero while paused
	usedAt  time.Duration // the result of used at that time
	elapsed time.Duration // wall time of earlier periods
	counted time.Duration // the part of elapsed that counts
}

// wallFactor times the budget is the wall time after which a run ends in any case.
const wallFactor = 2

func startClock(budget time.Duration, u *usage, onExpiry func()) *clock {
	c := &clock{budget: budget, onExpiry: onExpiry, usage: u}
	c.resume()
	return c
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = time.Now()
	c.usedAt = c.usage.recent()
	c.timer = time.AfterFunc(c.budget-c.counted, c.expire)
}

func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.elapsed, c.counted = c.read()
	c.since = time.Time{}
}

// stop ends the clock. Its figures are not needed any more.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.since = time.Time{}
}

// check ends the run if its time is used up, or will be before the guest can be stopped again,
// which is after ahead. The goroutine of the guest calls it: on a busy machine the timer may
// fire late, and the system knows the processor time of the calling thread exactly, but that
// of other threads only as of the last tick.
func (c *clock) check(ahead time.Duration) {
	if c.isOver(ahead) {
		c.expired.Store(true)
		c.onExpiry()
	}
}

func (c *clock) isOver(ahead time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() || c.elapsed+time.Since(c.since)+ahead < c.budget { // without reading the processor time
		return false
	}
	return c.left() <= ahead
}

// left returns the rest of the budget.
func (c *clock) left() time.Duration {
	elapsed, counted := c.read()
	return min(c.budget-counted, wallFactor*c.budget-elapsed)
}

// expire ends the run unless it has time left.
func (c *clock) expire() {
	if c.extend() {
		return
	}
	c.expired.Store(true)
	c.onExpiry()
}

// extend sets the timer to the rest of the budget. It returns false if nothing is left.
func (c *clock) extend() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		return true // it was paused or stopped just now
	}
	left := c.left()
	if left > 0 {
		c.timer.Reset(max(left, time.Millisecond))
	}
	return left > 0
}

// shortWall is a period for which the processor time is not read: that takes a
// microsecond, a sixth of an empty call.
const shortWall = 50 * time.Microsecond

// read returns the wall time while the clock ran, and the part of it that counts.
func (c *clock) read() (elapsed, counted time.Duration) {
	if c.since.IsZero() {
		return c.elapsed, c.counted
	}
	wall := time.Since(c.since)
	period := wall
	if wall > shortWall {
		if now, ok := c.usage.now(); ok {
			period = min(wall, now-c.usedAt)
		}
	}
	return c.elapsed + wall, c.counted + period
}

// spent returns the time that counts so far.
func (c *clock) spent() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, counted := c.read()
	return counted
}

// String describes the time of a run that reached its limit. It includes the wall time
// if other programs kept the processors busy, and whether that ended the run.
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

// usage reads the processor time of the process. Safe for concurrent use.
type usage struct {
	read func() (time.Duration, bool) // processTime, or its replacement in a test

	mu   sync.Mutex
	at   time.Time // of the last reading
	used time.Duration
}

// now returns the processor time, if it is known.
func (u *usage) now() (time.Duration, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	used, ok := u.read()
	u.at, u.used = time.Now(), used
	return used, ok
}

// maxUsageAge is the maximum age of the reading at the start of a run. A reading takes a tenth of a
// short call. With an older one, the time that the process used since then counts for the run.
const maxUsageAge = time.Millisecond

// recent returns the processor time at most maxUsageAge ago.
func (u *usage) recent() time.Duration {
	u.mu.Lock()
	used, isOld := u.used, time.Since(u.at) > maxUsageAge
	u.mu.Unlock()
	if isOld {
		used, _ = u.now()
	}
	return used
}

// millis converts a limit of the ABI.
func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }
