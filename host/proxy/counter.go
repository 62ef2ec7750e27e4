package proxy

import "sync"

// counter counts what is open. Other than a WaitGroup it may go up while somebody
// waits: a session that is being opened while the Endpoint closes.
type counter struct {
	mu   sync.Mutex
	none sync.Cond // its L is mu
	n    int
}

func newCounter() *counter {
	c := new(counter)
	c.none.L = &c.mu
	return c
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n += n; c.n == 0 {
		c.none.Broadcast()
	}
}

func (c *counter) waitForNone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.n > 0 {
		c.none.Wait()
	}
}
