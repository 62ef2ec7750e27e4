package pipeline

import (
	"fmt"
	"math/bits"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

const (
	breakAfter  = 3 // failures
	breakWithin = time.Minute
	waitFirst   = time.Second // until an entry is tried again; doubles
	waitMost    = time.Minute
)

// breaker takes entries that keep failing out of service. A failure speaks
// against the entry that failed, and if it was at a limit, only against
// Contents as large as the one that led to it: what exhausts a guest says
// nothing of the next small one. Safe for concurrent use.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	circuits map[entry]*circuit // of entries that failed lately
}

// entry is a role of a module as a ProxyModel configures it. Neither another
// role of the module nor the same role with another config pays for it.
type entry struct {
	module, role, config string
	limits               abi.GuestLimits
}

func (s *Step) entry() entry {
	return entry{module: s.ModuleHash, role: s.Role.Name, config: string(s.Config), limits: s.Limits}
}

// circuit is the health of one entry. In service while wait is 0.
type circuit struct {
	failures []failure // the latest, for Contents that it serves
	from     int       // out of service for Contents of at least so many bytes
	wait     time.Duration
	until    time.Time // no run before
	trial    bool      // one run is under way to find out
}

// failure speaks against Contents of at least so many bytes.
type failure struct {
	at   time.Time
	from int
}

// permit is the permission for one run.
type permit struct {
	entry entry
	size  int
	trial bool
}

func newBreaker(now func() time.Time) *breaker {
	return &breaker{now: now, circuits: make(map[entry]*circuit)}
}

// allow asks for a run over a Content of so many bytes. The caller reports by
// done how it ended.
//
// Errors: while the entry is out of service, abi.ErrUnavailable, or
// abi.ErrLimit if it is for Contents as large as this one only.
func (b *breaker) allow(e entry, size int) (permit, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := permit{entry: e, size: size}
	c := b.circuits[e]
	if c.serves(size) {
		return p, nil
	}
	left := c.until.Sub(b.now())
	if left <= 0 && !c.trial {
		c.trial, p.trial = true, true
		return p, nil
	}
	return permit{}, c.refuse(left)
}

// serves reports whether a Content of so many bytes may run without a trial.
func (c *circuit) serves(size int) bool { return c == nil || c.wait == 0 || size < c.from }

func (c *circuit) refuse(left time.Duration) error {
	kind, what := abi.ErrUnavailable, "out of service"
	if c.from > 0 {
		kind, what = abi.ErrLimit, fmt.Sprintf("out of service for content of %s or more", spell(c.from))
	}
	when := "being tried again now"
	if left > 0 {
		when = fmt.Sprintf("tried again in %v", left.Round(100*time.Millisecond))
	}
	return faultf(kind, "%s after %d failures in %v, %s", what, breakAfter, breakWithin, when)
}

// verdict is how a run ended, as far as its entry is concerned.
type verdict int

const (
	good verdict = iota
	failed
	exceeded // failed at a limit
	unknown  // cancelled, or not the module's doing
)

// against reports whether a run speaks against its module.
func (v verdict) against() bool { return v == failed || v == exceeded }

// done reports the end of a run, and tells whether it took an entry out of
// service that was in service before.
func (b *breaker) done(p permit, v verdict) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[p.entry]
	if c != nil && p.trial {
		b.judge(p.entry, c, v)
		return false
	}
	if !v.against() {
		return false
	}
	f := failure{at: b.now()}
	if v == exceeded {
		f.from = magnitude(p.size)
	}
	if c == nil {
		b.forget()
		c = new(circuit)
		b.circuits[p.entry] = c
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

// spell writes a magnitude as people read it.
func spell(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// judge ends the trial of an entry that is out of service.
func (b *breaker) judge(e entry, c *circuit, v verdict) {
	c.trial = false
	switch {
	case v == good:
		delete(b.circuits, e)
	case v.against():
		c.wait = min(2*c.wait, waitMost)
		c.until = b.now().Add(c.wait)
	}
}

// count notes a failure. The third takes the entry out of service for the
// Contents that all three speak against.
func (c *circuit) count(f failure) {
	recent := c.failures[:0]
	for _, old := range c.failures {
		if f.at.Sub(old.at) < breakWithin {
			recent = append(recent, old)
		}
	}
	c.failures = append(recent, f)
	if len(c.failures) < breakAfter {
		return
	}
	c.from = 0
	for _, old := range c.failures {
		c.from = max(c.from, old.from)
	}
	c.failures = nil
	c.wait = max(c.wait, waitFirst)
	c.until = f.at.Add(c.wait)
}

// forget removes circuits that nobody asked for in a long time: of modules that
// were replaced, most of all.
func (b *breaker) forget() {
	now := b.now()
	for e, c := range b.circuits {
		last := c.until
		if n := len(c.failures); n > 0 && c.failures[n-1].at.After(last) {
			last = c.failures[n-1].at
		}
		if !c.trial && now.Sub(last) > waitMost {
			delete(b.circuits, e)
		}
	}
}
