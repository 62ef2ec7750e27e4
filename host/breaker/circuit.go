package breaker

import "time"

// circuit is the state of one key. The key is in service while wait is 0.
type circuit struct {
	failures []failure // within the last minute, for sizes in service
	from     int       // out of service for Contents of at least this many bytes
	wait     time.Duration
	until    time.Time // time of the next trial
	trial    bool      // whether a trial is running
}

// failure is a failure that counts for Contents of at least from bytes.
type failure struct {
	at   time.Time
	from int
}

// isInService reports whether a Content of size bytes may run without a trial.
func (c *circuit) isInService(size int) bool { return c == nil || c.wait == 0 || size < c.from }

// addFailure records a failure. The third one takes the key out of service for the sizes
// that all three failures count for.
func (c *circuit) addFailure(f failure) {
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

// lastTime returns the time of the last failure or of the next trial, whichever is later.
func (c *circuit) lastTime() time.Time {
	if n := len(c.failures); n > 0 && c.failures[n-1].at.After(c.until) {
		return c.failures[n-1].at
	}
	return c.until
}
