package breaker

import "time"

// circuit is the health of one key. In service while wait is 0.
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

// serves reports whether a Content of so many bytes may run without a trial.
func (c *circuit) serves(size int) bool { return c == nil || c.wait == 0 || size < c.from }

// count notes a failure. The third takes the key out of service for the Contents
// that all three speak against.
func (c *circuit) count(f failure) {
	recent := c.failures[:0]
	for _, old := range c.failures {
		if f.at.Sub(old.at) < Within {
			recent = append(recent, old)
		}
	}
	c.failures = append(recent, f)
	if len(c.failures) < After {
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

// last is when the key was last heard of, or is to be tried again.
func (c *circuit) last() time.Time {
	if n := len(c.failures); n > 0 && c.failures[n-1].at.After(c.until) {
		return c.failures[n-1].at
	}
	return c.until
}
