package proxy

import "sync"

// counter counts open connections. Unlike a WaitGroup, it may grow while it is waited
// for: a session may be opening while the Endpoint closes.
type counter struct {
	mu   sync.Mutex
	zero sync.Cond // its L is mu
	n    int
}

func newCounter() *counter {
	c := new(counter)
	c.zero.L = &c.mu
	return c
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n += n; c.n == 0 {
		c.zero.Broadcast()
	}
}

func (c *counter) waitForZero() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.n > 0 {
		c.zero.Wait()
	}
}
